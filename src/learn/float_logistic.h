#pragma once

#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"
#include "learn/gram_preconditioner.h"

namespace assay {

// Multinomial logistic regression for what only decisions are wanted of, in float:
//
//     min over W  sum_i log(sum_c exp(W_c'z_i - W_{y_i}'z_i)) + |W|^2 / (2 strength)
//
// LogisticProblem solves the same (beta = strength n) to the last digit of double; here a fit moves
// on from any weights until a step brings less than a share of the objective. Nonlinear conjugate
// gradients, preconditioned, with one Newton step along each direction: the direction's logits give
// slope, curvature and the next logits, so an iteration costs two products with the samples and no
// evaluation is lost on an inner loop.
class FloatLogistic {
 public:
  // z: r x n. `preconditioner` may be shared, of samples of which these are `share`; it is set anew
  // by every fit and must outlive this.
  FloatLogistic(ThreadPool& pool, FloatMatrix z, std::vector<Label> labels, Index classes,
                GramPreconditioner& preconditioner, double share);

  Index count() const { return z_.cols(); }

  // Until one iteration lowers the mean objective by less than `tolerance` nats (of ten times the
  // objective where that is below one). False where that took too long.
  bool descend(double strength, double tolerance, FloatMatrix& weights) const;

 private:
  ThreadPool& pool_;
  FloatMatrix z_;
  std::vector<Label> labels_;
  Index classes_;
  GramPreconditioner& preconditioner_;
  double share_;
};

// W'z: K x n.
FloatMatrix float_logits(ThreadPool& pool, const FloatMatrix& weights, const FloatMatrix& z);

}  // namespace assay
