#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/random.h"
#include "learn/standardize.h"
#include "metrics/linear.h"
#include "metrics/real_targets.h"

namespace assay {
namespace {

constexpr std::array kBetasPerRow = {0.1, 1.0, 10.0};  // times the training rows

struct Halves {
  std::vector<Index> train;
  std::vector<Index> test;
};

// The samples of each class in random order, dealt out in turn; the next class goes on where the
// last one stopped. Classes come in the order of their first samples: names do not matter.
Halves stratified_halves(const Samples& samples) {
  Random random(samples.seed());
  std::vector<Index> order = random.permutation(samples.count());
  const auto label = [&](Index row) {
    return static_cast<std::size_t>(samples.labels()[static_cast<std::size_t>(row)]);
  };
  std::vector<Index> first(static_cast<std::size_t>(samples.classes()), -1);
  Index seen = 0;
  for (const Index row : order) {
    if (first[label(row)] < 0) first[label(row)] = seen++;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return first[label(a)] < first[label(b)]; });
  Halves halves;
  for (std::size_t i = 0; i < order.size(); ++i)
    (i % 2 == 0 ? halves.train : halves.test).push_back(order[i]);
  return halves;
}

// 1 where the likeliest class is not the sample's own.
std::vector<double> errors(const Matrix& probabilities, const std::vector<Label>& labels) {
  std::vector<double> out;
  for (Index i = 0; i < probabilities.cols(); ++i) {
    Index best = 0;
    probabilities.col(i).maxCoeff(&best);
    out.push_back(best == labels[static_cast<std::size_t>(i)] ? 0.0 : 1.0);
  }
  return out;
}

}  // namespace

Score linear_valid(const Samples& samples) {
  if (samples.kind() != TargetKind::classes) return linear_valid_of_numbers(samples);
  const Halves halves = stratified_halves(samples);
  Score score;
  score.value = 1.0;
  if (halves.test.empty()) {
    score.flags.emplace_back("too_few");
    return score;
  }
  const auto labels_of = [&](const std::vector<Index>& rows) {
    std::vector<Label> out;
    for (const Index row : rows) out.push_back(samples.labels()[static_cast<std::size_t>(row)]);
    return out;
  };
  Matrix train = samples.features()(Eigen::all, halves.train);
  Matrix test = samples.features()(Eigen::all, halves.test);
  const Standardizer standard = fit_standardizer(train);
  standard.apply(train);
  standard.apply(test);
  const RowSpace space = row_space(samples.pool(), train);
  const Matrix test_z = space.map(test);
  const LogisticProblem problem(samples.pool(), space.z, labels_of(halves.train),
                                samples.classes());
  LogisticFit fit;
  std::vector<double> best;
  double best_beta = 0.0;
  for (const double beta : kBetasPerRow) {
    LogisticOptions options;
    options.beta = beta * static_cast<double>(halves.train.size());
    options.tolerance = 1e-8;  // decisions change no more
    fit = problem.fit(options, best_beta == 0.0 ? nullptr : &fit);
    const std::vector<double> wrong =
        errors(logistic_probabilities(samples.pool(), fit.weights, test_z), labels_of(halves.test));
    const double error =
        std::accumulate(wrong.begin(), wrong.end(), 0.0) / static_cast<double>(wrong.size());
    if (best_beta == 0.0 || error < score.value) {
      score.value = error;
      best = wrong;
      best_beta = beta;
    }
  }
  score.details = {{"beta_per_row", best_beta},
                   {"test_rows", static_cast<double>(halves.test.size())}};
  score.per_sample.assign(static_cast<std::size_t>(samples.count()),
                          std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < halves.test.size(); ++k)
    score.per_sample[static_cast<std::size_t>(halves.test[k])] = best[k];
  return score;
}

}  // namespace assay
