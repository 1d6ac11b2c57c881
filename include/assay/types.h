#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace assay {

using Index = std::int64_t;  // every size and position
using Label = std::int32_t;  // an encoded class, in [0, number of classes)

// Column-major, as LAPACK wants it. A row-major n x D block of features is the
// column-major D x n matrix of the same memory; code that relies on it says so.
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

}  // namespace assay
