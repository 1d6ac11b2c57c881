#include "learn/linear_probe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/split.h"
#include "learn/hits.h"
#include "learn/logistic.h"
#include "learn/row_space.h"
#include "learn/standardize.h"

namespace assay {
namespace {

constexpr std::array kStrengths = {0.01, 0.1, 1.0, 10.0, 100.0};  // beta, per training row
constexpr double kValidationShare = 0.2;

// Accuracy on `test` for every strength, weakest penalty last.
std::vector<double> accuracies(ThreadPool& pool, LabelledSamples train, LabelledSamples test,
                               Index classes, std::span<const double> strengths) {
  const Standardizer standard = fit_standardizer(train.features);
  standard.apply(train.features);
  standard.apply(test.features);
  const RowSpace space = row_space(pool, train.features);
  const Matrix z = space.map(test.features);
  const LogisticProblem problem(pool, space.z, train.labels, classes);
  std::vector<double> out;
  LogisticFit fit;
  for (const double strength : strengths) {
    LogisticOptions options;
    options.beta = strength * static_cast<double>(train.labels.size());
    options.tolerance = 1e-7;  // decisions change no more
    fit = problem.fit(options, out.empty() ? nullptr : &fit);
    out.push_back(hits(logistic_probabilities(pool, fit.weights, z), test.labels).mean());
  }
  return out;
}

}  // namespace

LabelledSamples part_of(const LabelledSamples& samples, const std::vector<Index>& rows) {
  LabelledSamples out{samples.features(Eigen::all, rows), {}};
  for (const Index row : rows) out.labels.push_back(samples.labels[static_cast<std::size_t>(row)]);
  return out;
}

ProbeResult linear_probe(ThreadPool& pool, const LabelledSamples& train,
                         const LabelledSamples& test, Index classes, std::uint64_t seed) {
  const Split split = stratified_split(train.labels, kValidationShare, seed);
  double strength = 1.0;
  if (!split.train.empty() && !split.held_out.empty()) {
    const std::vector<double> tried = accuracies(
        pool, part_of(train, split.train), part_of(train, split.held_out), classes, kStrengths);
    strength = kStrengths[static_cast<std::size_t>(std::max_element(tried.begin(), tried.end()) -
                                                   tried.begin())];
  }
  return {accuracies(pool, train, test, classes, {&strength, 1}).front(), strength};
}

}  // namespace assay
