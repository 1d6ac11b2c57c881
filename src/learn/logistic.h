#pragma once

#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

struct LogisticOptions {
  double beta = 1.0;  // the penalty is |theta|^2 / (2 beta), on the mean loss
  // Of Newton's decrement g'H^-1 g, twice what the objective still has to fall, in nats; as a share
  // of ten times the objective where that is less than one. What depends on theta to first order is
  // then good to about its root. Unlike the gradient it does not depend on the features' scale.
  // Fits of hundreds of steps stop at 2e-16 already, and a gradient 1e-11 of that at theta = 0 ends
  // any.
  double tolerance = 1e-18;
  int max_iterations = 2000;  // of the inner loop
};

// Multinomial logistic regression, weights and intercept both penalised:
//
//     min over theta  -1/n sum_i log softmax(theta' x_i)_{y_i} + |theta|^2 / (2 beta)
struct LogisticFit {
  Matrix weights;          // r x K, in the coordinates of the row space
  double loss = 0.0;       // mean negative log-likelihood, nats per sample
  double penalty = 0.0;    // |theta|^2 / (2 beta)
  double decrement = 0.0;  // estimated at the result, see the tolerance
  int iterations = 0;      // of the inner loop
  bool converged = false;
};

// Samples in the coordinates of their row space (r x n) and their labels, 0 ... classes - 1, to fit
// once or with one penalty after another.
//
// Strongly convex, solved by Newton's method with conjugate gradients inside, preconditioned by the
// Hessian of equally certain samples, which is diagonal in the coordinates of the row space. The
// Hessian is taken in float, gradients and values in double, so float costs no digit of the result.
// Cost: 4 n r K flops a step, half of that for many classes with n <= r; some hundred steps when
// the classes can be separated and beta is large. Keeps a copy of the samples in double and one in
// float.
class LogisticProblem {
 public:
  // `orthogonal`: the rows of z are, as those of a whole RowSpace; those of some of its samples are
  // only nearly so, which rules out one of the ways to solve.
  LogisticProblem(ThreadPool& pool, const Matrix& z, std::vector<Label> labels, Index classes,
                  bool orthogonal = true);

  // `start`: a fit of the same problem to begin with, or null. `left_out`: samples that count for
  // nothing (n, or empty for none), as a fold of cross-validation; the loss is then the mean over
  // the others, of which there must be one.
  LogisticFit fit(const LogisticOptions& options, const LogisticFit* start = nullptr,
                  const std::vector<bool>& left_out = {}) const;

 private:
  ThreadPool& pool_;
  std::vector<Label> labels_;
  Index classes_;
  Index rows_;   // r
  double size_;  // the root of the samples' mean squared norm
  double unit_;
  bool orthogonal_;
  Matrix z_;               // with rows of zeros below
  Eigen::MatrixXf rough_;  // z_ / unit_
};

// Probabilities (K x m) of samples given by their coordinates (r x m).
Matrix logistic_probabilities(ThreadPool& pool, const Matrix& weights, const Matrix& z);

}  // namespace assay
