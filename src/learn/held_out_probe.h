#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"
#include "learn/float_logistic.h"

namespace assay {

// What logistic probes said of samples they were not fitted to.
struct HeldOut {
  Matrix log_probabilities;  // K x n

  std::vector<double> right(const std::vector<Label>& labels) const;  // 1 or 0; ties count 0
};

// Linear probes (multinomial logistic regression with a free intercept) on samples standardised
// once, fitted without one part of them after another. Strength is the inverse penalty in units of
// one sample's loss, as scikit-learn's C.
//
// Fits are in float and stop where outcomes have settled, not where digits have: the penalty's
// change of a tolerance tenfold says how far that was. Cost: the Gram matrix (n D^2 flops; the row
// space where n <= D + 1), then 4 n r K flops an iteration, five to some tens of iterations a fit,
// and r^3 / 3 flops a penalty.
class HeldOutProbes {
 public:
  // features: D x n, standardised in place of the copy. Labels 0 ... classes - 1.
  HeldOutProbes(ThreadPool& pool, Matrix features, std::vector<Label> labels, Index classes);

  Index count() const { return z_.cols(); }

  // Every sample by the probe that was fitted to the other half, under the best of the strengths.
  // They are tried ascending, each fit starting from the last, until one is so much worse than the
  // best (by more than twice the standard error of the difference, and not its neighbour) that no
  // weaker penalty will be the best. Many samples: the first half's probes alone decide, on the
  // thousands of the second.
  struct ByHalves {
    std::vector<double> strengths;  // those tried
    std::size_t best = 0;           // by accuracy; of equals the strongest penalty
    HeldOut held_out;               // under the best
    double unsettled = 0.0;  // what its accuracy changed by when tolerances were last reduced
  };
  ByHalves by_halves(const std::vector<bool>& second_half, const std::vector<double>& strengths);

  // Samples by a probe without their fold, one fold after another, each fit starting from the last,
  // down to the tolerance at which the halves settled; until `enough` says so of what is there.
  struct ByFolds {
    HeldOut held_out;
    std::vector<Index> tested;  // samples of the folds that were left out
  };
  using Enough = std::function<bool(const ByFolds&)>;
  ByFolds by_folds(const std::vector<Index>& fold_of_sample, Index folds, double strength,
                   const Enough& enough);

  // How many independent directions the random part of a probe's excess loss has. With the
  // information w s_j along direction j (s_j the samples' squares about their mean, w the mean of p
  // (1 - p)) and the penalty 1 / strength, that part is a sum over directions and classes of h_j^2
  // chi^2_1 / 2, h_j = w s_j / (w s_j + 1 / strength); as variable as an average of so many such
  // terms:
  //
  //     (K - 1) (sum_j h_j^2)^2 / sum_j h_j^4
  double directions(double strength, const HeldOut& held_out) const;

  // Whether no fit so far took too long.
  bool all_converged() const { return all_converged_; }

 private:
  FloatLogistic problem_of(const std::vector<Index>& rows);
  Matrix predicted(const FloatMatrix& weights, const std::vector<Index>& rows) const;

  ThreadPool& pool_;
  std::vector<Label> labels_;
  Index classes_;
  FloatMatrix z_;  // r x n
  bool orthogonal_ = false;
  std::optional<GramPreconditioner> preconditioner_;
  FloatMatrix start_;
  double tolerance_ = 1e-8;
  bool all_converged_ = true;
};

}  // namespace assay
