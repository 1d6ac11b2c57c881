#include "metrics/leave_out_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "linalg/cholesky.h"
#include "linalg/gram.h"
#include "linalg/resolvent.h"
#include "linalg/row_rotation.h"
#include "metrics/row_interactions.h"
#include "metrics/shift_grid.h"

namespace assay {
namespace {

constexpr Index kRotatedRows = 512;           // rows that one task rotates
constexpr Index kStripe = 16 * kRotatedRows;  // rows after which pages may go back
constexpr Index kLargestGroup = 512;          // rows of a block I - H_gg
constexpr double kManyProducts = 5e8;         // float pays from here on, as for moments
constexpr double kLeastShare =
    1e-12;  // a sample that is fitted exactly must not decide by its sign
constexpr double kTwoPi = 2.0 * std::numbers::pi;
// Stands for t -> 0 where an intercept makes K singular; relative to its largest eigenvalue.
constexpr double kNearlyZero = 1e-12;

// One kind of columns: those with finite t, or those without features.
struct Columns {
  std::vector<Index> of_target;
  Vector precision;  // beta, or on the dual side alpha in the units of the reduced kernel
};

template <typename T>
class EvidenceLeaver {
 public:
  using Block = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  EvidenceLeaver(const RowSource& rows, const Targets& targets, const Reduced& reduced,
                 const std::vector<EvidenceColumn>& columns)
      : rows_(rows),
        targets_(targets),
        reduced_(reduced),
        intercept_(reduced.count < rows.rows() ? 1.0 / static_cast<double>(rows.rows()) : 0.0),
        target_mean_(Vector::Zero(targets.columns())),
        rotation_(reduced.tridiagonal) {
    choose_columns(columns);
    if (intercept_ > 0.0) find_target_means();
  }

  // L - L_-i, mean over columns, for some rows.
  Vector without_each(std::span<const Index> chosen) const {
    const Seen seen = look_at(chosen);
    Vector sums = seen.evidence(fitted_.precision);
    for (Index i = 0; i < sums.size(); ++i)
      sums[i] += without_features(chosen.subspan(static_cast<std::size_t>(i), 1));
    return sums / counted();
  }

  // L - L_-g, likewise, for the rows of one group.
  double without_group(std::span<const Index> group) const {
    const auto size = static_cast<double>(group.size());
    const Seen seen = look_at(group, /*shares=*/false);
    const std::vector<Matrix> blocks = blocks_at_grid(seen.rotated);
    double sum = without_features(group);
    for (Index c = 0; c < fitted_.precision.size(); ++c) {
      Matrix block = Matrix::Zero(seen.residuals.rows(), seen.residuals.rows());
      for (std::size_t k = 0; k < blocks.size(); ++k) {
        const double weight = grid_.weights(static_cast<Index>(k), c);
        if (weight != 0.0) block += weight * blocks[k];
      }
      const std::optional<Matrix> factor = cholesky(block);
      if (!factor) return std::nan("");
      const double precision = fitted_.precision[c];
      const double square = solve_lower(*factor, Matrix(seen.residuals.col(c))).squaredNorm();
      sum += 0.5 * size * std::log(precision / kTwoPi) - 0.5 * precision * square +
             factor->diagonal().array().log().sum();
    }
    return sum / counted();
  }

  // The same of pairs and triples beyond what their parts add.
  RowInteractions interactions(std::span<const Index> chosen, std::span<const RowPair> pairs,
                               std::span<const RowTriple> triples) const {
    const Seen seen = look_at(chosen);
    const Matrix z = ((-0.5 * seen.log_shares.array()).exp() * seen.residuals.array()).matrix() *
                     fitted_.precision.cwiseSqrt().asDiagonal();
    const Matrix at_columns = product(grid_.weights, true, bounds_at_grid(seen, pairs), true);
    RowInteractions out = row_interactions(z.transpose(), at_columns, pairs, triples);
    add_interactions_without_features(chosen, pairs, triples, out);
    for (double& value : out.pairs) value /= counted();
    for (double& value : out.triples) value /= counted();
    return out;
  }

 private:
  // Some rows in the coordinates of the reduction, and what the fit to all leaves of them.
  struct Seen {
    Block rotated;      // rows x p
    Matrix forms;       // grid x rows: q'(T + t)^-1 q
    Matrix residuals;   // rows x C: y - f'm, on the dual side (K + t I)^-1 y
    Matrix log_shares;  // rows x C: log(1 - h), on the dual side of the diagonal of (K + t I)^-1

    Vector evidence(const Vector& precision) const {
      Vector sums = 0.5 * log_shares.rowwise().sum();
      sums.array() += 0.5 * (precision.array() / kTwoPi).log().sum();
      for (Index c = 0; c < precision.size(); ++c) {
        sums.array() -= 0.5 * precision[c] * residuals.col(c).array().square() *
                        (-log_shares.col(c).array()).exp();
      }
      return sums;
    }
  };

  double counted() const {
    return static_cast<double>(fitted_.of_target.size() + bare_.of_target.size());
  }

  void choose_columns(const std::vector<EvidenceColumn>& columns) {
    const double square = reduced_.unit * reduced_.unit;
    std::vector<double> shifts;
    std::vector<double> precisions;
    std::vector<double> bare;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const EvidenceColumn& column = columns[c];
      if (column.kind == EvidenceCase::skipped) continue;
      if (column.kind == EvidenceCase::uninformative) {
        bare_.of_target.push_back(static_cast<Index>(c));
        bare.push_back(column.beta);
        continue;
      }
      fitted_.of_target.push_back(static_cast<Index>(c));
      precisions.push_back(reduced_.dual ? column.alpha / square : column.beta);
      const bool zero = column.kind == EvidenceCase::interpolates;
      shifts.push_back(zero ? shift_for_zero() : column.t / square);
    }
    bare_.precision = Eigen::Map<const Vector>(bare.data(), std::ssize(bare));
    fitted_.precision = Eigen::Map<const Vector>(precisions.data(), std::ssize(precisions));
    grid_ = shift_grid(shifts);
    solution_ = resolvent_solve(reduced_.tridiagonal,
                                Matrix(reduced_.projected(Eigen::all, fitted_.of_target)), shifts)
                    .template cast<T>();
  }

  double shift_for_zero() const {
    const double least = intercept_ > 0.0 ? kNearlyZero : 1e-18;
    return least * reduced_.tridiagonal.eigenvalues.tail(1)[0];
  }

  void find_target_means() {
    const auto n = static_cast<double>(rows_.rows());
    if (targets_.kind == TargetKind::classes) {
      for (const Label label : targets_.labels) target_mean_[label] += 1.0 / n;
    } else {
      target_mean_ = targets_.values.colwise().mean().transpose();
    }
  }

  double target(Index row, Index c) const {
    const double mean = target_mean_[c];
    if (targets_.kind != TargetKind::classes) return targets_.values(row, c) - mean;
    return (targets_.labels[static_cast<std::size_t>(row)] == c ? 1.0 : 0.0) - mean;
  }

  // q = Q'f / unit, or on the dual side Q'e_i: one row each.
  Block rotated(std::span<const Index> chosen) const {
    const auto count = static_cast<Index>(chosen.size());
    Block out;
    if (reduced_.dual) {
      // About the mean: the direction of the intercept, where K is zero, drops out of the forms.
      out = Block::Constant(count, rows_.rows(), static_cast<T>(-intercept_));
      for (Index i = 0; i < count; ++i) out(i, chosen[static_cast<std::size_t>(i)]) += T{1};
    } else {
      std::vector<Index> order(chosen.begin(), chosen.end());
      const bool sorted = std::is_sorted(order.begin(), order.end());
      std::sort(order.begin(), order.end());
      Block samples(rows_.cols(), count);
      rows_.read(order, samples.data());
      if (reduced_.feature_mean.size() > 0)
        samples =
            (samples.template cast<double>().colwise() - reduced_.feature_mean).template cast<T>();
      out = samples.transpose() * static_cast<T>(1.0 / reduced_.unit);
      if (!sorted) out = in_order_of(chosen, order, out);
    }
    rotation_.apply(out);
    return out;
  }

  static Block in_order_of(std::span<const Index> chosen, const std::vector<Index>& order,
                           const Block& rows) {
    Block out(rows.rows(), rows.cols());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const auto at = std::lower_bound(order.begin(), order.end(), chosen[i]) - order.begin();
      out.row(static_cast<Index>(i)) = rows.row(at);
    }
    return out;
  }

  Seen look_at(std::span<const Index> chosen, bool shares = true) const {
    Seen seen;
    seen.rotated = rotated(chosen);
    seen.residuals = product(seen.rotated, false, solution_, false).template cast<double>();
    if (!reduced_.dual) {
      for (Index c = 0; c < seen.residuals.cols(); ++c) {
        const Index column = fitted_.of_target[static_cast<std::size_t>(c)];
        for (Index i = 0; i < seen.residuals.rows(); ++i)
          seen.residuals(i, c) =
              target(chosen[static_cast<std::size_t>(i)], column) - seen.residuals(i, c);
      }
    }
    if (!shares) return seen;
    seen.forms = resolvent_forms_of_rows<T>(reduced_.tridiagonal, seen.rotated, grid_.shifts);
    Matrix logs(seen.forms.cols(), seen.forms.rows());
    for (Index g = 0; g < logs.cols(); ++g) {
      for (Index i = 0; i < logs.rows(); ++i) logs(i, g) = log_share(seen.forms(g, i));
    }
    seen.log_shares = product(logs, false, grid_.weights, false);
    return seen;
  }

  // Of q'(T + t)^-1 q: the diagonal entry of a block, and an entry beside it.
  double log_share(double form) const {
    const double share = reduced_.dual ? form : 1.0 - intercept_ - form;
    return std::log(std::max(share, reduced_.dual ? kLeastShare * form : kLeastShare));
  }
  double off_diagonal(double inner) const { return reduced_.dual ? inner : -intercept_ - inner; }

  // pairs x grid
  Matrix bounds_at_grid(const Seen& seen, std::span<const RowPair> pairs) const {
    Block sums(std::ssize(pairs), seen.rotated.cols());
    for (Index k = 0; k < sums.rows(); ++k) {
      const RowPair& pair = pairs[static_cast<std::size_t>(k)];
      sums.row(k) = seen.rotated.row(pair.first) + seen.rotated.row(pair.second);
    }
    const Matrix of_sums = resolvent_forms_of_rows<T>(reduced_.tridiagonal, sums, grid_.shifts);
    Matrix bounds(sums.rows(), of_sums.rows());
    for (Index k = 0; k < bounds.rows(); ++k) {
      const RowPair& pair = pairs[static_cast<std::size_t>(k)];
      for (Index g = 0; g < bounds.cols(); ++g) {
        const double inner =
            0.5 * (of_sums(g, k) - seen.forms(g, pair.first) - seen.forms(g, pair.second));
        const double root = std::exp(
            0.5 * (log_share(seen.forms(g, pair.first)) + log_share(seen.forms(g, pair.second))));
        bounds(k, g) = off_diagonal(inner) / root;
      }
    }
    return bounds;
  }

  // Nothing acts together there but by the intercept.
  void add_interactions_without_features(std::span<const Index> chosen,
                                         std::span<const RowPair> pairs,
                                         std::span<const RowTriple> triples,
                                         RowInteractions& out) const {
    if (bare_.of_target.empty() || intercept_ == 0.0) return;
    const auto row = [&](Index position) { return chosen[static_cast<std::size_t>(position)]; };
    const auto one = [&](Index i) { return without_features(std::array{i}); };
    std::vector<double> of_pairs;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Index i = row(pairs[k].first);
      const Index j = row(pairs[k].second);
      of_pairs.push_back(without_features(std::array{i, j}) - one(i) - one(j));
      out.pairs[k] += of_pairs.back();
    }
    const auto of_pair = [&](Index k) { return of_pairs[static_cast<std::size_t>(k)]; };
    for (std::size_t k = 0; k < triples.size(); ++k) {
      const RowTriple& triple = triples[k];
      const RowPair& first = pairs[static_cast<std::size_t>(triple.first)];
      const std::array rows = {row(first.first), row(first.second),
                               row(pairs[static_cast<std::size_t>(triple.second)].second)};
      out.triples[k] += without_features(rows) - one(rows[0]) - one(rows[1]) - one(rows[2]) -
                        of_pair(triple.first) - of_pair(triple.second) - of_pair(triple.outer);
    }
  }

  // Columns without features: r = y, H = 0 beside the intercept's 1/n.
  double without_features(std::span<const Index> group) const {
    const auto size = static_cast<double>(group.size());
    const double left = 1.0 - size * intercept_;  // determinant of I - 11'/n
    double sum = 0.0;
    for (std::size_t k = 0; k < bare_.of_target.size(); ++k) {
      double total = 0.0;
      double square = 0.0;
      for (const Index row : group) {
        const double y = target(row, bare_.of_target[k]);
        total += y;
        square += y * y;
      }
      const double precision = bare_.precision[static_cast<Index>(k)];
      const double correction = intercept_ > 0.0 ? intercept_ * total * total / left : 0.0;
      sum += 0.5 * size * std::log(precision / kTwoPi) - 0.5 * precision * (square + correction) +
             0.5 * std::log(left);
    }
    return sum;
  }

  std::vector<Matrix> blocks_at_grid(const Block& rows) const {
    const Matrix columns = rows.transpose().template cast<double>();
    std::vector<Matrix> blocks;
    for (const double shift : grid_.shifts) {
      const std::vector<double> same(static_cast<std::size_t>(columns.cols()), shift);
      Matrix block =
          product(columns, true, resolvent_solve(reduced_.tridiagonal, columns, same), false);
      if (!reduced_.dual) {
        block = -block;
        block.array() -= intercept_;
        block.diagonal().array() += 1.0;
      }
      blocks.push_back(std::move(block));
    }
    return blocks;
  }

  const RowSource& rows_;
  const Targets& targets_;
  const Reduced& reduced_;
  double intercept_;  // 1/n where one was integrated out
  Vector target_mean_;
  RowRotation<T> rotation_;
  Columns fitted_;
  Columns bare_;
  ShiftGrid grid_;
  Block solution_;  // p x C: (T + t)^-1 of the projected targets
};

std::vector<std::vector<Index>> rows_of_groups(std::span<const Label> groups) {
  std::vector<std::vector<Index>> out(
      static_cast<std::size_t>(*std::max_element(groups.begin(), groups.end())) + 1);
  for (std::size_t i = 0; i < groups.size(); ++i)
    out[static_cast<std::size_t>(groups[i])].push_back(static_cast<Index>(i));
  return out;
}

template <typename T>
void leave_out_rows(ThreadPool& pool, const RowSource& rows, const EvidenceLeaver<T>& leaver,
                    LeftOutEvidence& out) {
  out.units.resize(static_cast<std::size_t>(rows.rows()));
  for (Index begin = 0; begin < rows.rows(); begin += kStripe) {
    const Index end = std::min(begin + kStripe, rows.rows());
    pool.run((end - begin + kRotatedRows - 1) / kRotatedRows, [&](Index task) {
      const Index first = begin + task * kRotatedRows;
      std::vector<Index> tile(static_cast<std::size_t>(std::min(kRotatedRows, end - first)));
      std::iota(tile.begin(), tile.end(), first);
      const Vector values = leaver.without_each(tile);
      std::copy(values.begin(), values.end(), out.units.begin() + first);
    });
    rows.release(begin, end);
  }
  const std::vector<RowPair> pairs = sampled_pairs(rows.rows());
  std::vector<Index> chosen;
  std::vector<RowPair> within;  // positions in `chosen`
  for (const RowPair& pair : pairs) {
    chosen.push_back(pair.first);
    chosen.push_back(pair.second);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  const auto position = [&](Index row) {
    return std::lower_bound(chosen.begin(), chosen.end(), row) - chosen.begin();
  };
  for (const RowPair& pair : pairs) within.push_back({position(pair.first), position(pair.second)});
  if (pairs.empty()) return;
  RowInteractions found = leaver.interactions(chosen, within, sampled_triples(rows.rows()));
  out.pairs = std::move(found.pairs);
  out.triples = std::move(found.triples);
}

template <typename T>
std::optional<LeftOutEvidence> leave_out(ThreadPool& pool, const RowSource& rows,
                                         const Targets& targets, const Reduced& reduced,
                                         const std::vector<EvidenceColumn>& columns,
                                         std::span<const Label> groups) {
  const EvidenceLeaver<T> leaver(rows, targets, reduced, columns);
  LeftOutEvidence out;
  if (groups.empty()) {
    leave_out_rows(pool, rows, leaver, out);
  } else {
    const std::vector<std::vector<Index>> members = rows_of_groups(groups);
    out.units.resize(members.size());
    pool.run(std::ssize(members), [&](Index g) {
      const auto at = static_cast<std::size_t>(g);
      if (!members[at].empty()) out.units[at] = leaver.without_group(members[at]);
    });
  }
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(out.units.begin(), out.units.end(), finite) ||
      !std::all_of(out.pairs.begin(), out.pairs.end(), finite) ||
      !std::all_of(out.triples.begin(), out.triples.end(), finite))
    return std::nullopt;
  return out;
}

bool float_suffices(const RowSource& rows, const Reduced& reduced) {
  const auto n = static_cast<double>(rows.rows());
  const auto dim = static_cast<double>(rows.cols());
  return !rows.is_double() && !reduced.dual && !reduced.mean_apart && !reduced.ill_scaled &&
         n * dim * dim > kManyProducts;
}

}  // namespace

std::optional<LeftOutEvidence> leave_out_evidence(ThreadPool& pool, const RowSource& rows,
                                                  const Targets& targets, const Reduced& reduced,
                                                  const std::vector<EvidenceColumn>& columns,
                                                  std::span<const Label> groups) {
  const bool proper = std::none_of(columns.begin(), columns.end(), [](const EvidenceColumn& one) {
    return one.kind == EvidenceCase::exact_fit;
  });
  if (!proper || !groups_are_small(groups)) return std::nullopt;
  return float_suffices(rows, reduced)
             ? leave_out<float>(pool, rows, targets, reduced, columns, groups)
             : leave_out<double>(pool, rows, targets, reduced, columns, groups);
}

bool groups_are_small(std::span<const Label> groups) {
  std::vector<Index> sizes;
  for (const Label group : groups) {
    if (group >= std::ssize(sizes)) sizes.resize(static_cast<std::size_t>(group) + 1, 0);
    if (++sizes[static_cast<std::size_t>(group)] > kLargestGroup) return false;
  }
  return true;
}

}  // namespace assay
