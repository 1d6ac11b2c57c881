#include "learn/held_out_probe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/random.h"
#include "learn/row_space.h"
#include "learn/standardize.h"
#include "linalg/cholesky.h"

namespace assay {
namespace {

// Nats that an iteration still brings where a fit stops: penalties are compared by rough fits, and
// the chosen one's are refined tenfold until the outcomes of samples left out have settled.
constexpr double kRoughNats = 1e-5;
constexpr double kFinest = 1e-9;
constexpr double kSettled = 0.0025;  // of accuracy
// The value of the constant feature: a tuned probe's intercept is not penalised.
constexpr double kFree = 100.0;
constexpr double kClearlyWorse = 2.0;  // standard errors
constexpr double kNoRoom = 0.0025;     // errors left that no other penalty need be tried for
constexpr Index kManySamples = 4096;   // from here on half of them choose a penalty well enough
constexpr Index kProbes = 256;         // random signs that a trace is estimated by

// Standardised features and a constant as they are, or in the coordinates of their row space where
// there are at least as many of them as samples.
FloatMatrix coordinates(ThreadPool& pool, const Matrix& standardised) {
  if (standardised.cols() <= standardised.rows() + 1)
    return row_space(pool, standardised, /*basis=*/false, kFree).z.cast<float>();
  FloatMatrix out(standardised.rows() + 1, standardised.cols());
  out.topRows(standardised.rows()) = standardised.cast<float>();
  out.bottomRows(1).setConstant(static_cast<float>(kFree));
  return out;
}

Matrix log_softmax(const FloatMatrix& logits) {
  Matrix out = logits.cast<double>();
  for (Index i = 0; i < out.cols(); ++i) {
    const double most = out.col(i).maxCoeff();
    const double mass = (logits.col(i).array() - static_cast<float>(most)).exp().sum();
    out.col(i).array() -= most + std::log(mass);
  }
  return out;
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

// V with E V V' = I.
Matrix probes_of(Index dim) {
  if (dim <= kProbes) return Matrix::Identity(dim, dim);
  Random random(0);
  const double size = 1.0 / std::sqrt(static_cast<double>(kProbes));
  return Matrix::NullaryExpr(dim, kProbes,
                             [&](Index, Index) { return random.below(2) == 0 ? size : -size; });
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
  z_ = coordinates(pool, features);
  orthogonal_ = features.cols() <= features.rows() + 1;
  preconditioner_.emplace(pool, z_, orthogonal_);
}

FloatLogistic HeldOutProbes::problem_of(const std::vector<Index>& rows) {
  return {pool_,
          z_(Eigen::all, rows),
          labels_of(labels_, rows),
          classes_,
          *preconditioner_,
          static_cast<double>(rows.size()) / static_cast<double>(count())};
}

Matrix HeldOutProbes::predicted(const FloatMatrix& weights, const std::vector<Index>& rows) const {
  return log_softmax(float_logits(pool_, weights, z_(Eigen::all, rows)));
}

HeldOutProbes::ByHalves HeldOutProbes::by_halves(const std::vector<bool>& second_half,
                                                 const std::vector<double>& strengths) {
  std::array<std::vector<Index>, 2> rows;
  for (std::size_t i = 0; i < second_half.size(); ++i)
    rows[second_half[i] ? 1 : 0].push_back(static_cast<Index>(i));
  const std::array<FloatLogistic, 2> halves = {problem_of(rows[0]), problem_of(rows[1])};
  HeldOut now{Matrix::Zero(classes_, count())};
  std::array<FloatMatrix, 2> weights;
  const auto move_on = [&](std::size_t h, double strength, double tolerance, HeldOut& out) {
    all_converged_ = halves[h].descend(strength, tolerance, weights[h]) && all_converged_;
    out.log_probabilities(Eigen::all, rows[1 - h]) = predicted(weights[h], rows[1 - h]);
  };
  const std::size_t deciding = count() >= kManySamples ? 1 : 2;
  std::vector<Index> judged = rows[1];
  if (deciding == 2) judged.insert(judged.end(), rows[0].begin(), rows[0].end());
  ByHalves path;
  std::array<FloatMatrix, 2> best_weights;
  std::vector<double> best_right;
  for (const double strength : strengths) {
    for (std::size_t h = 0; h < deciding; ++h) move_on(h, strength, kRoughNats, now);
    const std::vector<double> right = of_samples(now.right(labels_), judged);
    path.strengths.push_back(strength);
    const std::size_t tried = path.strengths.size() - 1;
    if (tried == 0 || mean_of(right) > mean_of(best_right)) {
      path.best = tried;
      path.held_out = now;
      best_right = right;
      best_weights = weights;
    } else if (tried > path.best + 1 && clearly_worse(best_right, right)) {
      break;
    }
    if (mean_of(best_right) >= 1.0 - kNoRoom) break;
  }
  const double strength = path.strengths[path.best];
  weights = best_weights;
  if (deciding == 1) {
    weights[1] = weights[0];
    move_on(1, strength, kRoughNats, path.held_out);
  }
  tolerance_ = kRoughNats;
  do {
    tolerance_ *= 0.1;
    const double before = mean_of(path.held_out.right(labels_));
    for (std::size_t h = 0; h < 2; ++h) move_on(h, strength, tolerance_, path.held_out);
    path.unsettled = std::abs(mean_of(path.held_out.right(labels_)) - before);
  } while (path.unsettled > kSettled && tolerance_ > kFinest);
  start_ = 0.5F * (weights[0] + weights[1]);
  return path;
}

HeldOutProbes::ByFolds HeldOutProbes::by_folds(const std::vector<Index>& fold_of_sample,
                                               Index folds, double strength, const Enough& enough) {
  ByFolds out{{Matrix::Zero(classes_, count())}, {}};
  FloatMatrix weights = start_;
  for (Index fold = 0; fold < folds && !(enough && enough(out)); ++fold) {
    std::vector<Index> kept;
    std::vector<Index> rows;
    for (std::size_t i = 0; i < fold_of_sample.size(); ++i)
      (fold_of_sample[i] == fold ? rows : kept).push_back(static_cast<Index>(i));
    all_converged_ = problem_of(kept).descend(strength, tolerance_, weights) && all_converged_;
    out.held_out.log_probabilities(Eigen::all, rows) = predicted(weights, rows);
    out.tested.insert(out.tested.end(), rows.begin(), rows.end());
  }
  return out;
}

// Sums of powers of h are traces of powers of H = A (A + c)^-1 = I - c (A + c)^-1, A the Gram
// matrix about the mean and c = 1 / (strength w): squared norms of H V and H H V, with V the
// identity or, of many directions, random signs.
double HeldOutProbes::directions(double strength, const HeldOut& held_out) const {
  const Eigen::ArrayXXd p = held_out.log_probabilities.array().exp();
  const double information = strength * (p * (1.0 - p)).mean();
  if (!(information > 0.0)) return 1.0;
  double squares = 0.0;
  double fourths = 0.0;
  if (orthogonal_) {
    for (Index j = 0; j < z_.rows(); ++j) {
      // About the mean: the intercept's own direction is free (h = 1) and would drown the others.
      const Vector row = z_.row(j).cast<double>();
      const double along = information * (row.array() - row.mean()).square().sum();
      const double h = along / (along + 1.0);
      squares += h * h;
      fourths += h * h * h * h;
    }
  } else {
    // Standardised features have the mean zero; the constant comes last.
    const Index dim = z_.rows() - 1;
    Matrix shifted = information * preconditioner_->gram().topLeftCorner(dim, dim);
    shifted.diagonal().array() += 1.0;
    const std::optional<Matrix> factor = cholesky(std::move(shifted));
    if (!factor) return 1.0;
    const auto shrink = [&](const Matrix& v) {
      return Matrix(v - solve_lower_transposed(*factor, solve_lower(*factor, v)));
    };
    const Matrix once = shrink(probes_of(dim));
    squares = once.squaredNorm();
    fourths = shrink(once).squaredNorm();
  }
  return fourths > 0.0 ? static_cast<double>(classes_ - 1) * squares * squares / fourths : 1.0;
}

}  // namespace assay
