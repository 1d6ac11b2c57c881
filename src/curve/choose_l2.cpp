#include "curve/choose_l2.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/random.h"
#include "curve/probes.h"
#include "linalg/cholesky.h"
#include "linalg/gram.h"

namespace assay {
namespace {

constexpr double kUsual = 10.0;  // where there is nothing to choose by: a single row
constexpr Index kFolds = 5;
constexpr Index kEnoughJudged = 500;  // rows
constexpr double kStep = 0.5;         // of the decimal logarithm
constexpr double kWeakest = 1e-3;
constexpr double kRoughly = 1e-5;  // nats: penalties differ by more
constexpr double kPerfect = 1e-4;  // nats: no other penalty need be tried

// The lowest point of the parabola through three that are kStep apart, the middle one the lowest.
double vertex(double left, double middle, double right) {
  const double curvature = left - 2.0 * middle + right;
  return curvature > 0.0
             ? std::clamp(0.5 * kStep * (left - right) / curvature, -0.5 * kStep, 0.5 * kStep)
             : 0.0;
}

// Losses by the number of steps from the first penalty; the best of them.
double best_exponent(const std::map<int, double>& losses, double first) {
  const auto best =
      std::ranges::min_element(losses, {}, [](const auto& entry) { return entry.second; });
  const auto left = losses.find(best->first - 1);
  const auto right = losses.find(best->first + 1);
  double exponent = first + kStep * best->first;
  if (left != losses.end() && right != losses.end() && std::isfinite(left->second) &&
      std::isfinite(right->second))
    exponent += vertex(left->second, best->second, right->second);
  return exponent;
}

// Rows of every class (or whole groups) dealt out in random order.
std::vector<Index> folds_of(std::span<const Label> labels, std::span<const Label> groups,
                            Index folds) {
  Random random(0);
  std::vector<Index> order = random.permutation(std::ssize(labels));
  const std::span<const Label> keys = groups.empty() ? labels : groups;
  if (groups.empty())
    std::ranges::stable_sort(order, {}, [&](Index i) { return keys[static_cast<std::size_t>(i)]; });
  std::vector<Index> fold(labels.size());
  std::map<Label, Index> of_group;
  Index next = 0;
  for (const Index row : order) {
    Index own = 0;
    if (groups.empty()) {
      own = next++ % folds;
    } else {
      const auto [entry, fresh] =
          of_group.try_emplace(groups[static_cast<std::size_t>(row)], next % folds);
      next += fresh ? 1 : 0;
      own = entry->second;
    }
    fold[static_cast<std::size_t>(row)] = own;
  }
  return fold;
}

class LogisticFolds {
 public:
  LogisticFolds(const LogisticProblem& problem, const RowSpace& space,
                std::span<const Label> labels, std::span<const Label> groups)
      : problem_(problem) {
    const Index n = std::ssize(labels);
    const Index folds = std::min(kFolds, n);
    const std::vector<Index> fold = folds_of(labels, groups, folds);
    Index judged = 0;
    for (Index f = 0; f < folds && judged < kEnoughJudged; ++f) {
      std::optional<Part> part = part_of(f, fold, labels, space);
      if (!part) continue;
      judged += std::ssize(part->labels);
      parts_.push_back(std::move(*part));
    }
  }

  bool empty() const { return parts_.empty(); }
  const std::optional<LogisticFit>& fit() const { return parts_.front().fit; }

  // Mean loss of the rows judged, in nats.
  double operator()(double l2) {
    double loss = 0.0;
    Index judged = 0;
    for (Part& part : parts_) {
      LogisticOptions options;
      options.beta = static_cast<double>(part.kept) / l2;
      options.tolerance = kRoughly;
      part.fit = problem_.fit(options, part.fit ? &*part.fit : nullptr, part.left_out);
      loss += label_losses(product(part.fit->weights, true, part.z, false), part.labels).sum();
      judged += std::ssize(part.labels);
    }
    return loss / static_cast<double>(judged);
  }

 private:
  struct Part {
    std::vector<bool> left_out;
    Index kept = 0;  // samples that are not left out
    Matrix z = {};   // of those judged
    std::vector<Label> labels = {};
    std::optional<LogisticFit> fit = std::nullopt;
  };

  // Nothing where none is left to learn from, or to judge by: a row whose class is in no other fold
  // says nothing about how far to trust the rows there are.
  static std::optional<Part> part_of(Index f, const std::vector<Index>& fold,
                                     std::span<const Label> labels, const RowSpace& space) {
    Part part{.left_out = std::vector<bool>(labels.size(), false)};
    std::set<Label> learnt;
    for (std::size_t i = 0; i < fold.size(); ++i) {
      part.left_out[i] = fold[i] == f;
      if (part.left_out[i]) continue;
      learnt.insert(labels[i]);
      ++part.kept;
    }
    std::vector<Index> judges;
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (!part.left_out[i] || !learnt.contains(labels[i])) continue;
      judges.push_back(static_cast<Index>(i));
      part.labels.push_back(labels[i]);
    }
    if (judges.empty() || learnt.size() < 2) return std::nullopt;
    part.z = space.z(Eigen::all, judges);
    return part;
  }

  const LogisticProblem& problem_;
  std::vector<Part> parts_;
};

// Squares of what the fits without each row, or each group, leave over.
double left_out_squares(const RidgeRows& rows, const Matrix& values, double l2,
                        const std::vector<std::vector<Index>>& groups) {
  const Vector inverse = (rows.spectrum.array() + l2).inverse();
  const Matrix residual =
      values - product(rows.z, true, Matrix(inverse.asDiagonal() * rows.projected), false);
  const double intercept = 1.0 / static_cast<double>(values.rows());
  double squares = 0.0;
  if (groups.empty()) {
    const Vector rest = (1.0 - intercept) - (rows.z.cwiseAbs2().transpose() * inverse).array();
    for (Index i = 0; i < rest.size(); ++i) {
      if (!(rest[i] > 1e-10)) return INFINITY;
      squares += residual.row(i).squaredNorm() / (rest[i] * rest[i]);
    }
    return squares;
  }
  for (const std::vector<Index>& group : groups) {
    const Matrix z = rows.z(Eigen::all, group);
    Matrix rest = -product(z, true, Matrix(inverse.asDiagonal() * z), false);
    rest.array() -= intercept;
    rest.diagonal().array() += 1.0;
    const std::optional<Matrix> factor = cholesky(std::move(rest));
    if (!factor) return INFINITY;
    const Matrix own = residual(group, Eigen::all);
    squares += solve_lower_transposed(*factor, solve_lower(*factor, own)).squaredNorm();
  }
  return squares;
}

std::vector<std::vector<Index>> members_of(std::span<const Label> groups) {
  std::map<Label, std::vector<Index>> members;
  for (std::size_t i = 0; i < groups.size(); ++i)
    members[groups[i]].push_back(static_cast<Index>(i));
  std::vector<std::vector<Index>> out;
  for (auto& [group, rows] : members) out.push_back(std::move(rows));
  return out;
}

}  // namespace

double choose_logistic_l2(const LogisticProblem& problem, const RowSpace& space,
                          std::span<const Label> labels, std::span<const Label> groups,
                          std::optional<LogisticFit>& start) {
  constexpr double first_share = 0.01;  // of the largest curvature
  LogisticFolds folds(problem, space, labels, groups);
  if (folds.empty() || space.spectrum.size() == 0) return kUsual;
  const double top = std::log10(std::max(1.0, space.spectrum[0]));
  const double first = kStep * std::round(std::log10(first_share) / kStep + top / kStep);
  const auto l2_at = [&](int step) { return std::pow(10.0, first + kStep * step); };
  std::map<int, double> losses;
  int best = 0;
  const auto better = [&](int step) {
    losses[step] = folds(l2_at(step));
    if (losses[step] >= losses[best] && step != 0) return false;
    best = step;
    start = folds.fit();
    return losses[step] > kPerfect;
  };
  for (int step = 0; step > best - 3 && l2_at(step) >= kWeakest; --step) {
    if (!better(step) && losses[best] <= kPerfect) break;
  }
  if (best == 0) {
    for (int step = 1; l2_at(step) <= 10.0 * std::pow(10.0, top) && better(step); ++step) {
    }
  }
  return std::pow(10.0, best_exponent(losses, first));
}

double choose_ridge_l2(const RidgeRows& rows, const Matrix& values, std::span<const Label> groups) {
  constexpr int steps = 12;  // half decades below the largest curvature
  if (values.rows() < 2 || rows.spectrum.size() == 0 || !(rows.spectrum.maxCoeff() > 0.0))
    return kUsual;
  const std::vector<std::vector<Index>> members = members_of(groups);
  if (members.size() == 1) return kUsual;
  const double first = std::log10(rows.spectrum.maxCoeff());
  std::map<int, double> losses;
  for (int step = 1; step >= -steps; --step)
    losses[step] = left_out_squares(rows, values, std::pow(10.0, first + kStep * step), members);
  return std::pow(10.0, best_exponent(losses, first));
}

}  // namespace assay
