#pragma once

#include <optional>

#include "assay/types.h"

namespace assay {

// L with S = L L', from the lower triangle of S and in place of its copy; zeros above the
// diagonal. Nothing when S is not positive definite in double arithmetic.
// Cost: p^3 / 3 flops.
std::optional<Matrix> cholesky(Matrix lower);

// U with S = U'U, from the upper triangle of S and in its place; what stands below the diagonal
// stays. False when S is not positive definite in double arithmetic. Cost: p^3 / 3 flops.
bool cholesky_above(Matrix& matrix);

// log det of a positive definite matrix given by its lower triangle; NaN when it is not.
double log_determinant(Matrix lower);

// L^-1 b. A moved `b` is solved in its own memory. Cost: p^2 flops per column.
Matrix solve_lower(const Matrix& factor, Matrix b);
Eigen::MatrixXf solve_lower(const Eigen::MatrixXf& factor, Eigen::MatrixXf b);
Matrix solve_lower_transposed(const Matrix& factor, Matrix b);  // L'^-1 b
Eigen::MatrixXf solve_lower_transposed(const Eigen::MatrixXf& factor, Eigen::MatrixXf b);

}  // namespace assay
