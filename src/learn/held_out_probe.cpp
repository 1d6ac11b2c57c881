#include "learn/held_out_probe.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "learn/row_space.h"
#include "learn/standardize.h"

namespace assay {
namespace {

// Of Newton's decrement, nats: logits are then good to about its root, and decisions change no
// more.
constexpr double kTolerance = 1e-8;
// The value of the constant feature: a tuned probe's intercept is not penalised.
constexpr double kFree = 100.0;
constexpr double kClearlyWorse = 2.0;  // standard errors
constexpr Index kManySamples = 4096;   // from here on half of them choose a penalty well enough

LogisticOptions options_for(double strength, Index fitted) {
  LogisticOptions options;
  options.beta = strength * static_cast<double>(fitted);
  options.tolerance = kTolerance;
  return options;
}

Matrix log_of(const Matrix& probabilities) {
  return probabilities.cwiseMax(std::numeric_limits<double>::min()).array().log();
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Whether b lies below a by more than chance, sample by sample.
bool clearly_worse(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double difference = mean_of(a) - mean_of(b);
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(a[i] - b[i] - difference, 2);
  return difference > kClearlyWorse * std::sqrt(squares) / n;
}

// One half's probe as the path goes on.
struct HalfFit {
  std::vector<Index> fitted;
  std::vector<Index> others;
  std::optional<LogisticProblem> problem;
  Matrix other_samples;
  std::optional<LogisticFit> last;
};

std::vector<Label> labels_of(const std::vector<Label>& labels, const std::vector<Index>& rows) {
  std::vector<Label> out;
  for (const Index row : rows) out.push_back(labels[static_cast<std::size_t>(row)]);
  return out;
}

std::vector<double> of_samples(const std::vector<double>& values,
                               const std::vector<Index>& chosen) {
  std::vector<double> out;
  for (const Index i : chosen) out.push_back(values[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

std::vector<double> HeldOut::right(const std::vector<Label>& labels) const {
  std::vector<double> out;
  for (Index i = 0; i < log_probabilities.cols(); ++i) {
    const Label own = labels[static_cast<std::size_t>(i)];
    bool best = true;
    for (Index c = 0; c < log_probabilities.rows(); ++c)
      best = best && (c == own || log_probabilities(c, i) < log_probabilities(own, i));
    out.push_back(best ? 1.0 : 0.0);
  }
  return out;
}

HeldOutProbes::HeldOutProbes(ThreadPool& pool, Matrix features, std::vector<Label> labels,
                             Index classes)
    : pool_(pool), labels_(std::move(labels)), classes_(classes) {
  fit_standardizer(features).apply(features);
  z_ = row_space(pool, features, /*basis=*/false, kFree).z;
}

HeldOutProbes::ByHalves HeldOutProbes::by_halves(const std::vector<bool>& second_half,
                                                 const std::vector<double>& strengths) {
  std::vector<HalfFit> halves(2);
  for (std::size_t i = 0; i < second_half.size(); ++i) {
    halves[second_half[i] ? 1 : 0].fitted.push_back(static_cast<Index>(i));
    halves[second_half[i] ? 0 : 1].others.push_back(static_cast<Index>(i));
  }
  HeldOut now{Matrix::Zero(classes_, count())};
  const auto predict_others = [&](HalfFit& half, double strength, HeldOut& out) {
    if (!half.problem) {
      half.problem.emplace(pool_, z_(Eigen::all, half.fitted), labels_of(labels_, half.fitted),
                           classes_, /*orthogonal=*/false);
      half.other_samples = z_(Eigen::all, half.others);
    }
    half.last = half.problem->fit(options_for(strength, std::ssize(half.fitted)),
                                  half.last ? &*half.last : nullptr);
    out.log_probabilities(Eigen::all, half.others) =
        log_of(logistic_probabilities(pool_, half.last->weights, half.other_samples));
  };
  const std::size_t deciding = count() >= kManySamples ? 1 : 2;
  std::vector<Index> judged = halves[0].others;
  if (deciding == 2) judged.insert(judged.end(), halves[1].others.begin(), halves[1].others.end());
  ByHalves path;
  std::vector<double> best_right;
  for (const double strength : strengths) {
    for (std::size_t h = 0; h < deciding; ++h) predict_others(halves[h], strength, now);
    const std::vector<double> right = of_samples(now.right(labels_), judged);
    path.strengths.push_back(strength);
    const std::size_t tried = path.strengths.size() - 1;
    if (tried == 0 || mean_of(right) > mean_of(best_right)) {
      path.best = tried;
      path.held_out = now;
      best_right = right;
      start_ = halves.front().last;
    } else if (tried > path.best + 1 && clearly_worse(best_right, right)) {
      break;
    }
  }
  if (deciding == 1) {
    halves[1].last = start_;
    predict_others(halves[1], path.strengths[path.best], path.held_out);
  }
  return path;
}

HeldOutProbes::ByFolds HeldOutProbes::by_folds(const std::vector<Index>& fold_of_sample,
                                               Index folds, double strength, const Enough& enough) {
  const LogisticProblem problem(pool_, z_, labels_, classes_);
  ByFolds out{{Matrix::Zero(classes_, count())}, {}};
  std::optional<LogisticFit> last = start_;
  for (Index fold = 0; fold < folds && !(enough && enough(out)); ++fold) {
    std::vector<bool> left_out;
    std::vector<Index> rows;
    for (std::size_t i = 0; i < fold_of_sample.size(); ++i) {
      left_out.push_back(fold_of_sample[i] == fold);
      if (left_out.back()) rows.push_back(static_cast<Index>(i));
    }
    last = problem.fit(options_for(strength, count() - std::ssize(rows)), last ? &*last : nullptr,
                       left_out);
    out.held_out.log_probabilities(Eigen::all, rows) =
        log_of(logistic_probabilities(pool_, last->weights, z_(Eigen::all, rows)));
    out.tested.insert(out.tested.end(), rows.begin(), rows.end());
  }
  return out;
}

double HeldOutProbes::directions(double strength, const HeldOut& held_out) const {
  const Eigen::ArrayXXd p = held_out.log_probabilities.array().exp();
  const double information = strength * (p * (1.0 - p)).mean();
  double squares = 0.0;
  double fourths = 0.0;
  for (Index j = 0; j < z_.rows(); ++j) {
    // About the mean: the intercept's own direction is free (h = 1) and would drown the others.
    const double along = information * (z_.row(j).array() - z_.row(j).mean()).square().sum();
    const double h = along / (along + 1.0);
    squares += h * h;
    fourths += h * h * h * h;
  }
  return fourths > 0.0 ? static_cast<double>(classes_ - 1) * squares * squares / fourths : 1.0;
}

}  // namespace assay
