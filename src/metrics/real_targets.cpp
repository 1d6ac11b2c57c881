#include "metrics/real_targets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.h"
#include "learn/ridge_space.h"
#include "learn/standardize.h"
#include "linalg/gram.h"
#include "metrics/average_precision.h"
#include "metrics/dealt_folds.h"
#include "metrics/learning_curve.h"

namespace assay {
namespace {

constexpr Index kNearest = 5;

std::vector<double> penalties_for(double rows) {
  std::vector<double> out;
  for (const double per_row : kRidgePerRow) out.push_back(per_row * rows);
  return out;
}

// The prediction with the largest mean R2; of equals the first.
std::size_t best_of(const RealTargets& targets, const std::vector<Matrix>& predicted) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < predicted.size(); ++k) {
    const double error = (targets.values - predicted[k]).squaredNorm();
    if (error < least) {
      least = error;
      best = k;
    }
  }
  return best;
}

Score no_target_varies(const Samples& samples) {
  Score score;
  score.flags.emplace_back("skipped_columns");
  score.per_sample.assign(static_cast<std::size_t>(samples.count()), 0.0);
  return score;
}

// Predictions of each half by the other under the best penalty, and which one that is.
struct ByHalves {
  std::size_t best = 0;
  Matrix predicted;
};

ByHalves predict_halves(const RealTargets& targets, const RidgeSpace& space,
                        const DealtFolds& halves) {
  std::vector<Matrix> path = space.without_parts(
      halves.of_sample, halves.count, penalties_for(0.5 * static_cast<double>(space.count())));
  const std::size_t best = best_of(targets, path);
  return {best, std::move(path[best])};
}

}  // namespace

RealTargets real_targets(const Samples& samples) {
  RealTargets out;
  Matrix columns = samples.values().transpose();  // C x n, as samples of targets
  const Standardizer standard = fit_standardizer(columns);
  standard.apply(columns);
  std::vector<Index> varying;
  for (Index c = 0; c < columns.rows(); ++c)
    if (standard.factor[c] > 0.0) varying.push_back(c);
  out.skipped = columns.rows() - std::ssize(varying);
  out.values = columns(varying, Eigen::all).transpose();
  return out;
}

// R2 as real_targets.h defines it; to first order a sample adds its residual and its share of the
// denominator.
std::vector<double> r2_by_sample(const RealTargets& targets, const Matrix& predicted) {
  const Matrix squares = (targets.values - predicted).cwiseAbs2();
  const Eigen::RowVectorXd left = squares.colwise().mean();  // 1 - R2 of each column
  const Matrix own = targets.values.cwiseAbs2();
  std::vector<double> out;
  for (Index i = 0; i < squares.rows(); ++i) {
    const auto influence =
        squares.row(i) - left - left.cwiseProduct(own.row(i) - own.colwise().mean());
    out.push_back((1.0 - left.array() - influence.array()).mean());
  }
  return out;
}

Score r2_score(const RealTargets& targets, const Matrix& predicted) {
  Score score;
  score.per_sample = r2_by_sample(targets, predicted);
  score.value = mean_of(score.per_sample);
  score.details = {{"chance", 0.0}};
  if (targets.skipped > 0) {
    score.flags.emplace_back("skipped_columns");
    score.details.emplace_back("skipped_columns", static_cast<double>(targets.skipped));
  }
  return score;
}

Score ridge_loo_of_numbers(const Samples& samples) {
  const RealTargets targets = real_targets(samples);
  if (targets.values.cols() == 0 || samples.count() < 2) return no_target_varies(samples);
  const RidgeSpace space(samples.pool(), samples.features(), targets.values);
  std::vector<Matrix> predicted;
  for (const double penalty : penalties_for(static_cast<double>(samples.count())))
    predicted.push_back(space.without_each(penalty));
  const std::size_t best = best_of(targets, predicted);
  Score score = r2_score(targets, predicted[best]);
  score.details.emplace_back("penalty_per_row", kRidgePerRow[best]);
  return score;
}

Score knn_of_numbers(const Samples& samples) {
  const RealTargets targets = real_targets(samples);
  if (targets.values.cols() == 0 || samples.count() < 2) return no_target_varies(samples);
  Matrix unit = samples.features();
  for (Index i = 0; i < unit.cols(); ++i) {
    const double largest = unit.col(i).cwiseAbs().maxCoeff();
    if (largest > 0.0) unit.col(i) = (unit.col(i) / largest).normalized();
  }
  const Index neighbours = std::min(kNearest, samples.count() - 1);
  Matrix predicted(samples.count(), targets.values.cols());
  constexpr Index tile = 128;
  samples.pool().run((samples.count() + tile - 1) / tile, [&](Index task) {
    const Index first = task * tile;
    const Index count = std::min(tile, samples.count() - first);
    const Matrix cosines = product(unit, true, unit.middleCols(first, count), false);
    std::vector<Index> order;
    for (Index i = 0; i < count; ++i) {
      order.clear();
      for (Index j = 0; j < samples.count(); ++j)
        if (j != first + i) order.push_back(j);
      std::partial_sort(
          order.begin(), order.begin() + neighbours, order.end(), [&](Index a, Index b) {
            return cosines(a, i) != cosines(b, i) ? cosines(a, i) > cosines(b, i) : a < b;
          });
      order.resize(static_cast<std::size_t>(neighbours));
      predicted.row(first + i) = targets.values(order, Eigen::all).colwise().mean();
    }
  });
  return r2_score(targets, predicted);
}

Score linear_valid_of_numbers(const Samples& samples) {
  const RealTargets targets = real_targets(samples);
  const DealtFolds halves = dealt_folds(samples, 2, samples.seed());
  if (targets.values.cols() == 0 || halves.count < 2) return no_target_varies(samples);
  const RidgeSpace space(samples.pool(), samples.features(), targets.values);
  const ByHalves held_out = predict_halves(targets, space, halves);
  Score score = r2_score(targets, held_out.predicted);
  for (double& added : score.per_sample) added = 1.0 - added;
  score.value = mean_of(score.per_sample);
  score.details = {{"penalty_per_row", kRidgePerRow[held_out.best]}};
  return score;
}

Score accuracy_of_numbers(const Samples& samples) {
  const RealTargets targets = real_targets(samples);
  const DealtFolds halves = dealt_folds(samples, 2, mixed_seed(samples.seed(), 2));
  const DealtFolds folds = dealt_folds(samples, kProbeFolds, mixed_seed(samples.seed(), 10));
  if (targets.values.cols() == 0) return no_target_varies(samples);
  if (halves.count < 2) return nothing_held_out(samples);
  const RidgeSpace space(samples.pool(), samples.features(), targets.values);
  const ByHalves half = predict_halves(targets, space, halves);
  const Matrix held_out =
      space
          .without_parts(folds.of_sample, folds.count,
                         {kRidgePerRow[half.best] * static_cast<double>(samples.count())})
          .front();
  const bool several = samples.kind() == TargetKind::multi_label;
  const auto added = [&](const Matrix& predicted) {
    return several ? average_precision_by_sample(targets.values, predicted)
                   : r2_by_sample(targets, predicted);
  };
  const double penalty = kRidgePerRow[half.best] * static_cast<double>(samples.count());
  const LearningCurve curve{added(half.predicted), added(held_out), folds.count,
                            space.directions(penalty)};
  Score score = extrapolated(curve, several ? 0.0 : -std::numeric_limits<double>::infinity());
  double squares = 0.0;
  for (const double one : score.per_sample) squares += std::pow(one - score.value, 2);
  score.test_variance = squares / static_cast<double>(samples.count());
  score.details.insert(score.details.end(),
                       {{"penalty_per_row", kRidgePerRow[half.best]},
                        {"chance", several ? mean_share_of_positives(targets.values) : 0.0}});
  if (targets.skipped > 0) score.flags.emplace_back("skipped_columns");
  return score;
}

}  // namespace assay
