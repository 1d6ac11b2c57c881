#include <algorithm>
#include <array>
#include <numeric>

#include "learn/hits.h"
#include "learn/standardize.h"
#include "metrics/dealt_folds.h"
#include "metrics/linear.h"
#include "metrics/real_targets.h"

namespace assay {
namespace {

constexpr std::array kBetasPerRow = {0.1, 1.0, 10.0};  // times the training rows

struct Halves {
  std::vector<Index> train;
  std::vector<Index> test;
};

Halves stratified_halves(const Samples& samples) {
  Halves halves;
  const std::vector<Index> order = dealing_order(samples, samples.seed());
  for (std::size_t i = 0; i < order.size(); ++i)
    (i % 2 == 0 ? halves.train : halves.test).push_back(order[i]);
  return halves;
}

using Errors = std::array<Vector, kBetasPerRow.size()>;  // 1 where the likeliest class is wrong

// The LINEAR-VALID baseline of PACTran (Ding et al., ECCV 2022), cross-fitted:
// docs/metrics/linear.md.
// Trains on one half under every beta: the errors on the other half.
Errors train_and_test(const Samples& samples, const std::vector<Index>& training,
                      const std::vector<Index>& testing) {
  const auto labels_of = [&](const std::vector<Index>& rows) {
    std::vector<Label> out;
    for (const Index row : rows) out.push_back(samples.labels()[static_cast<std::size_t>(row)]);
    return out;
  };
  Matrix train = samples.features()(Eigen::all, training);
  Matrix test = samples.features()(Eigen::all, testing);
  const Standardizer standard = fit_standardizer(train);
  standard.apply(train);
  standard.apply(test);
  const RowSpace space = row_space(samples.pool(), train);
  const Matrix test_z = space.map(test);
  const LogisticProblem problem(samples.pool(), space.z, labels_of(training), samples.classes());
  Errors out;
  LogisticFit fit;
  for (std::size_t k = 0; k < kBetasPerRow.size(); ++k) {
    LogisticOptions options;
    options.beta = kBetasPerRow[k] * static_cast<double>(training.size());
    options.tolerance = 1e-8;  // decisions change no more
    fit = problem.fit(options, k == 0 ? nullptr : &fit);
    out[k] =
        1.0 - hits(logistic_probabilities(samples.pool(), fit.weights, test_z), labels_of(testing))
                  .array();
  }
  return out;
}

// The beta with the fewest errors, the strongest penalty among equals.
std::size_t best_beta(const Errors& wrong) {
  return static_cast<std::size_t>(
      std::min_element(wrong.begin(), wrong.end(),
                       [](const Vector& a, const Vector& b) { return a.sum() < b.sum(); }) -
      wrong.begin());
}

}  // namespace

// Each half is predicted by the fit to the other, under the beta that did best the other way round:
// every row counts, and none chooses the beta it is judged by.
Score linear_valid(const Samples& samples) {
  if (samples.kind() != TargetKind::classes) return linear_valid_of_numbers(samples);
  const Halves halves = stratified_halves(samples);
  Score score;
  score.value = 1.0;
  if (halves.test.empty()) {
    score.flags.emplace_back("too_few");
    return score;
  }
  const Errors on_test = train_and_test(samples, halves.train, halves.test);
  const Errors on_train = train_and_test(samples, halves.test, halves.train);
  const std::size_t for_test = best_beta(on_train);
  const std::size_t for_train = best_beta(on_test);
  score.per_sample.resize(static_cast<std::size_t>(samples.count()));
  for (std::size_t k = 0; k < halves.test.size(); ++k)
    score.per_sample[static_cast<std::size_t>(halves.test[k])] =
        on_test[for_test][static_cast<Index>(k)];
  for (std::size_t k = 0; k < halves.train.size(); ++k)
    score.per_sample[static_cast<std::size_t>(halves.train[k])] =
        on_train[for_train][static_cast<Index>(k)];
  score.value = std::accumulate(score.per_sample.begin(), score.per_sample.end(), 0.0) /
                static_cast<double>(samples.count());
  score.details = {{"beta_per_row", kBetasPerRow[for_test]},
                   {"beta_per_row_other_half", kBetasPerRow[for_train]}};
  return score;
}

}  // namespace assay
