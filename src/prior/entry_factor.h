#pragma once

#include <functional>
#include <string>

#include "assay/types.h"
#include "prior/task_prior.h"

namespace assay {

// A factor of a kernel given by its entries, r x n: Cholesky with pivoting, stopped when what is
// left of the trace is below 1e-10 of it. Written by hand because LAPACK's wants the whole matrix.
// Throws Error when the kernel is not positive semi-definite. Cost: n r^2 flops, r columns asked.
Matrix pivoted_cholesky(const Vector& diagonal, const std::function<Vector(Index)>& column,
                        const std::string& where);

// The prior with a factor for every kernel that has none, as samplers need it.
template <typename T>
TaskPrior<T> with_factors(TaskPrior<T> prior, const std::string& where);

}  // namespace assay
