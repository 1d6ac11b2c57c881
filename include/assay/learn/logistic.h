#pragma once

#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/types.h"
#include "assay/learn/row_space.h"

namespace assay {

struct LogisticOptions {
  double beta = 1.0;  // the penalty is |theta|^2 / (2 beta), on the mean loss
  // Of the gradient's norm, relative to that at theta = 0, or to 1e-3 of the root mean square of
  // the samples' norms where that is more: features that say nothing have no gradient to compare.
  double tolerance = 1e-11;
  int max_iterations = 2000;  // of the inner loop
};

// Multinomial logistic regression, weights and intercept both penalised:
//
//     min over theta  -1/n sum_i log softmax(theta' x_i)_{y_i} + |theta|^2 / (2 beta)
struct LogisticFit {
  Matrix weights;              // r x K, in the coordinates of the row space
  double loss = 0.0;           // mean negative log-likelihood, nats per sample
  double penalty = 0.0;        // |theta|^2 / (2 beta)
  double gradient_norm = 0.0;  // relative, as the tolerance
  int iterations = 0;          // of the inner loop
  bool converged = false;
};

// Strongly convex, solved by Newton's method with conjugate gradients inside, scaled by the
// diagonal of the Hessian, which the coordinates of the row space make nearly all of it. The
// Hessian is taken in float, gradients and values in double, so float costs no digit of the result.
// `start`: a fit of the same size to begin with, or null.
// Cost: 4 n r K flops a step; hundreds of steps when the classes can be separated and beta is
// large.
LogisticFit fit_logistic(ThreadPool& pool, const RowSpace& space, const std::vector<Label>& labels,
                         Index classes, const LogisticOptions& options,
                         const LogisticFit* start = nullptr);

// Probabilities (K x m) of samples given by their coordinates (r x m).
Matrix logistic_probabilities(ThreadPool& pool, const Matrix& weights, const Matrix& z);

}  // namespace assay
