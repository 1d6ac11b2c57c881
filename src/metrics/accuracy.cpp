#include "metrics/accuracy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "learn/held_out_probe.h"
#include "metrics/dealt_folds.h"
#include "metrics/learning_curve.h"
#include "metrics/real_targets.h"

namespace assay {
namespace {

constexpr std::array kStrengths = {1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0};

// Folds are fitted until what they bring over halves is known to half a point of accuracy: a test
// set of 5,000 rows tells no more.
constexpr double kCloseEnough = 0.005;
// Of many samples, each fold being a fit to nearly all of them, to a point: a test set of 2,500
// rows.
constexpr double kCloseEnoughOfMany = 0.01;
constexpr Index kManySamples = 4096;

// Of the class predicted, K x K counts: rows are true classes.
Matrix confusion(const HeldOutProbes::ByFolds& found, const std::vector<Label>& labels,
                 Index classes) {
  Matrix out = Matrix::Zero(classes, classes);
  for (const Index i : found.tested) {
    Index guess = 0;
    found.held_out.log_probabilities.col(i).maxCoeff(&guess);
    out(labels[static_cast<std::size_t>(i)], guess) += 1.0;
  }
  return out;
}

// The mean over classes of 2 hits / (own + guessed).
double macro_f1(const Matrix& confusion) {
  const Vector own = confusion.rowwise().sum().cwiseMax(1.0);  // a class may not have been tested
  const Vector guessed = confusion.colwise().sum().transpose();
  return (2.0 * confusion.diagonal().array() / (own + guessed).array()).mean();
}

double mean_log_loss(const HeldOutProbes::ByFolds& found, const std::vector<Label>& labels) {
  double sum = 0.0;
  for (const Index i : found.tested)
    sum -= found.held_out.log_probabilities(labels[static_cast<std::size_t>(i)], i);
  return sum / static_cast<double>(found.tested.size());
}

double share_of_largest_class(const Samples& samples) {
  return static_cast<double>(*std::max_element(samples.counts().begin(), samples.counts().end())) /
         static_cast<double>(samples.count());
}

}  // namespace

// Halves choose the penalty, tenths measure; extrapolated() takes A(n) = A(0.9 n) + w (A(0.9 n) -
// A(n/2)) from both (accuracy.h; docs/metrics/accuracy.md).
Score accuracy(const Samples& samples) {
  if (samples.kind() != TargetKind::classes) return accuracy_of_numbers(samples);
  const DealtFolds halves = dealt_folds(samples, 2, mixed_seed(samples.seed(), 2));
  const DealtFolds folds = dealt_folds(samples, kProbeFolds, mixed_seed(samples.seed(), 10));
  if (halves.count < 2) return nothing_held_out(samples);
  HeldOutProbes probes(samples.pool(), samples.features(), samples.labels(), samples.classes());
  std::vector<bool> second_half;
  for (const Index half : halves.of_sample) second_half.push_back(half == 1);
  const HeldOutProbes::ByHalves path =
      probes.by_halves(second_half, {kStrengths.begin(), kStrengths.end()});
  const double strength = path.strengths[path.best];
  const std::vector<double> by_half = path.held_out.right(samples.labels());
  const double close = samples.count() >= kManySamples ? kCloseEnoughOfMany : kCloseEnough;
  const auto enough = [&](const HeldOutProbes::ByFolds& found) {
    return !found.tested.empty() &&
           gain_error(by_half, found.held_out.right(samples.labels()), found.tested) <= close;
  };
  const HeldOutProbes::ByFolds found =
      probes.by_folds(folds.of_sample, folds.count, strength, enough);
  const Matrix hits = confusion(found, samples.labels(), samples.classes());
  Score score = extrapolated(
      {by_half, by_some_folds(by_half, found.held_out.right(samples.labels()), found.tested),
       folds.count, probes.directions(strength, path.held_out)},
      0.0);
  score.extra_variance += path.unsettled * path.unsettled;
  if (!probes.all_converged()) score.flags.emplace_back("not_converged");
  score.test_variance = std::max(0.0, score.value * (1.0 - score.value));
  for (Index c = 0; c < hits.rows(); ++c)
    score.per_class.push_back(hits(c, c) / std::max(1.0, hits.row(c).sum()));
  score.details.insert(score.details.end(), {{"strength", strength},
                                             {"log_loss", mean_log_loss(found, samples.labels())},
                                             {"macro_f1", macro_f1(hits)},
                                             {"chance", share_of_largest_class(samples)},
                                             {"tested", static_cast<double>(found.tested.size())},
                                             {"unsettled", path.unsettled}});
  return score;
}

}  // namespace assay
