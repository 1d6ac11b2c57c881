#include "robust/identity_scores.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/gram.h"
#include "robust/classifiers.h"
#include "robust/synthetic.h"

namespace assay {
namespace {

// Streams 0 and 1 are the inputs of networks.
constexpr std::uint32_t kFirstStream = 2;

SyntheticData world(const SynbenchSetting& setting, Index samples, Index stream) {
  return {.dim = setting.dim,
          .samples = samples,
          .class_prior = setting.class_prior,
          .offset = 0.0,
          .seed = setting.seed,
          .stream = kFirstStream + static_cast<std::uint32_t>(stream)};
}

// A small share of few samples is none.
bool has_both_classes(const SynbenchSetting& setting) {
  const std::vector<Label> labels = world(setting, setting.train, 0).labels();
  const Index ones = std::count(labels.begin(), labels.end(), 1);
  return ones > 0 && ones < setting.train;
}

std::optional<IdentityScore> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  double sum = 0.0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double spread = count > 1.0 ? std::sqrt(squares / (count - 1.0)) : 0.0;
  return IdentityScore{mean, spread / std::sqrt(count), spread};
}

}  // namespace

Index identity_repeats(const SynbenchSetting& setting) {
  constexpr Index samples_in_all = 32768;
  return std::clamp<Index>(samples_in_all / (setting.train + setting.test), 2, 256);
}

std::vector<std::vector<ScalePoint>> simulate_identity(ThreadPool& pool,
                                                       const SynbenchSetting& setting,
                                                       Index repeat) {
  const SyntheticData train = world(setting, setting.train, 2 * repeat);
  const SyntheticData test = world(setting, setting.test, 2 * repeat + 1);
  GaussianPair pair = fit_gaussian_pair(pool, synthetic_noise(pool, train), train.labels());
  const Vector noise_gap = pair.half_gap;
  const Vector unit_gap =
      pair.basis.transpose() *
      Vector::Constant(setting.dim, 1.0 / std::sqrt(static_cast<double>(setting.dim)));
  Matrix noise = synthetic_noise(pool, test);
  noise.colwise() -= pair.midpoint;
  const std::vector<Label> labels = test.labels();

  std::vector<std::vector<ScalePoint>> out(setting.budgets.size());
  std::vector<double> u(labels.size());
  for (const double scale : setting.scales) {
    pair.half_gap = noise_gap + scale * unit_gap;
    Classifiers fitted = robust_classifiers(pair, scale, setting.budgets, setting.class_prior);
    const Matrix directions = product(pair.basis, false, fitted.weights, false);
    const Matrix scores = product(noise, true, directions, false);
    for (Index b = 0; b < fitted.gaps.size(); ++b) {
      ScalePoint& point = fitted.points[static_cast<std::size_t>(b)];
      if (fitted.gaps[b] > 0.0) {
        const double shift = scale * unit_gap.dot(fitted.weights.col(b));
        for (std::size_t i = 0; i < u.size(); ++i)
          u[i] = scores(static_cast<Index>(i), b) + (labels[i] == 1 ? shift : -shift);
        point.measured = measured_point(u, labels, fitted.gaps[b], setting.class_prior);
      }
      out[static_cast<std::size_t>(b)].push_back(point);
    }
  }
  return out;
}

// The calibration of docs/guide/robust.md: SynBench's score of the synthetic data as their own
// representation, whose value without sampling error is 1 (Eq. 3).
IdentityScores identity_scores(ThreadPool& pool, const SynbenchSetting& setting) {
  if (!has_both_classes(setting))
    return IdentityScores(setting.budgets.size(), {setting.thresholds.size(), std::nullopt});
  const Index repeats = identity_repeats(setting);
  std::vector<std::vector<std::vector<ScalePoint>>> runs(static_cast<std::size_t>(repeats));
  pool.run(repeats, [&](Index repeat) {
    runs[static_cast<std::size_t>(repeat)] = simulate_identity(pool, setting, repeat);
  });
  IdentityScores out(setting.budgets.size());
  for (std::size_t b = 0; b < out.size(); ++b) {
    for (const double threshold : setting.thresholds) {
      std::vector<double> values;
      for (const auto& run : runs)
        if (const auto value = synbench_value(run[b], threshold)) values.push_back(*value);
      out[b].push_back(mean_of(values));
    }
  }
  return out;
}

}  // namespace assay
