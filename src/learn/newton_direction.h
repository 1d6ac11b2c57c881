#pragma once

#include <functional>
#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"
#include "linalg/gram.h"

namespace assay {

// Newton's directions H d = -g for multinomial logistic regression, by conjugate gradients, with
//
//     H = 1/n sum_i (diag p_i - p_i p_i') x z_i z_i' + I / beta
//
// in float: it only shapes the steps, the gradients that steer them are in double, and it is where
// the time goes.
//
// Preconditioned by C^-1 = w/n Z Z' + I / beta, with one weight w for all samples and classes.
// Scales of their own for the classes, such as the diagonal of H has, would let steps leave the
// weights that sum to zero over the classes, along which there is only the prior's curvature (up to
// ten times the steps, measured).
class NewtonDirection {
 public:
  // z: r x n; must outlive this. `fitted`: how many of the samples count, the n of 1/n.
  // `orthogonal`: the rows of z are, as those of a RowSpace; nearly so otherwise.
  NewtonDirection(ThreadPool& pool, const FloatMatrix& z, Index fitted, Index classes, double beta,
                  bool orthogonal);

  void move_to(const Matrix& probabilities);  // K x n, zeros for samples that do not count

  // d (r x K) for the gradient (r x K), solved until the residual has shrunk by `reduction`; adds
  // to the steps taken.
  Matrix solve(const Matrix& gradient, double reduction, int& steps);

  // The same by products with the samples alone: slower where solve() has a better way, but H stays
  // positive whatever rounding does.
  Matrix solve_plainly(const Matrix& gradient, double reduction, int& steps) const;

 private:
  Matrix solve_by_kernel(const Matrix& gradient, double reduction, int& steps);
  Eigen::VectorXf preconditioner() const;
  bool kernel_serves() const;
  void make_kernel();
  void for_columns(const std::function<void(Index first, Index count)>& work) const;
  FloatMatrix times_kernel(const FloatMatrix& rho) const;
  FloatMatrix times(const FloatMatrix& v) const;
  void weigh(FloatMatrix& u, Index first) const;

  ThreadPool& pool_;
  const FloatMatrix& z_;
  Index classes_;
  float per_sample_;
  float prior_;
  bool may_use_kernel_;
  Eigen::VectorXf squares_;  // diagonal of Z Z'
  FloatMatrix p_;            // K x n
  std::vector<Index> likeliest_;
  float mean_variance_ = 0.0F;
  Index last_steps_ = 0;
  float weight_ = 0.0F;         // w
  Eigen::VectorXf c_;           // the preconditioner that the kernel was made with
  FloatMatrix kernel_;          // Z'CZ, n x n
  float kernel_weight_ = 0.0F;  // the w that the kernel was made with
};

}  // namespace assay
