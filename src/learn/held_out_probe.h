#pragma once

#include <optional>
#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"
#include "learn/logistic.h"

namespace assay {

// What logistic probes said of samples they were not fitted to.
struct HeldOut {
  Matrix log_probabilities;  // K x n

  std::vector<double> right(const std::vector<Label>& labels) const;     // 1 or 0; ties count 0
  std::vector<double> log_loss(const std::vector<Label>& labels) const;  // nats
};

// Linear probes (multinomial logistic regression with a free intercept) on samples standardised
// once, fitted without one part of them after another. Strength is the inverse penalty in units of
// one sample's loss, as scikit-learn's C.
//
// Cost: the row space once, then 4 n r K flops a step, a few to some tens of steps a fit.
class HeldOutProbes {
 public:
  // features: D x n, standardised in place of the copy. Labels 0 ... classes - 1.
  HeldOutProbes(ThreadPool& pool, Matrix features, std::vector<Label> labels, Index classes);

  Index count() const { return z_.cols(); }

  // Every sample by the probe that was fitted to the other half, under one strength after another,
  // ascending, each starting from the last. Ends once a strength is so much worse than the best (by
  // more than twice the standard error of the difference, and not its neighbour) that no weaker
  // penalty will be the best.
  struct Path {
    std::vector<double> strengths;  // those tried
    std::vector<HeldOut> held_out;
    std::size_t best = 0;  // by accuracy; of equals the strongest penalty
  };
  Path by_halves(const std::vector<bool>& second_half, const std::vector<double>& strengths);

  // Every sample by a probe without its fold, each starting from the fit to all samples, which the
  // fold hardly moves.
  HeldOut by_folds(const std::vector<Index>& fold_of_sample, Index folds, double strength);

 private:
  ThreadPool& pool_;
  std::vector<Label> labels_;
  Index classes_;
  Matrix z_;  // r x n
  std::optional<LogisticFit> start_;
};

}  // namespace assay
