#include "metrics/evidence_leaver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "linalg/cholesky.h"
#include "linalg/gram.h"
#include "linalg/resolvent.h"

namespace assay {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

// A sample that is fitted exactly must not decide by the sign of its rounded share.
constexpr double kLeastShare = 1e-12;

// Stands for t -> 0 where an intercept makes K singular; relative to its largest eigenvalue.
constexpr double kNearlyZero = 1e-12;

template <typename Block>
Block in_order_of(std::span<const Index> chosen, const std::vector<Index>& order,
                  const Block& rows) {
  Block out(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto at = std::lower_bound(order.begin(), order.end(), chosen[i]) - order.begin();
    out.row(static_cast<Index>(i)) = rows.row(at);
  }
  return out;
}

}  // namespace

template <typename T>
EvidenceLeaver<T>::EvidenceLeaver(const RowSource& rows, const Targets& targets,
                                  const Reduced& reduced,
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

template <typename T>
Vector EvidenceLeaver<T>::Seen::evidence(const Vector& precision) const {
  Vector sums = 0.5 * log_shares.rowwise().sum();
  sums.array() += 0.5 * (precision.array() / kTwoPi).log().sum();
  for (Index c = 0; c < precision.size(); ++c) {
    sums.array() -=
        0.5 * precision[c] * residuals.col(c).array().square() * (-log_shares.col(c).array()).exp();
  }
  return sums;
}

// L - L_-g of leave_out_evidence.h: the conditional density of the left-out samples given all
// others.
template <typename T>
Vector EvidenceLeaver<T>::without_each(std::span<const Index> chosen) const {
  const Seen seen = look_at(chosen);
  Vector sums = seen.evidence(fitted_.precision);
  for (Index i = 0; i < sums.size(); ++i)
    sums[i] += without_features(chosen.subspan(static_cast<std::size_t>(i), 1));
  return sums / counted();
}

template <typename T>
double EvidenceLeaver<T>::without_group(std::span<const Index> group) const {
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

template <typename T>
RowInteractions EvidenceLeaver<T>::interactions(std::span<const Index> chosen,
                                                std::span<const RowPair> pairs,
                                                std::span<const RowTriple> triples) const {
  const Seen seen = look_at(chosen);
  const Matrix z = ((-0.5 * seen.log_shares.array()).exp() * seen.residuals.array()).matrix() *
                   fitted_.precision.cwiseSqrt().asDiagonal();
  const Matrix at_columns = product(grid_.weights, true, correlations_at_grid(seen, pairs), true);
  RowInteractions out = row_interactions(z.transpose(), at_columns, pairs, triples);
  add_without_features(chosen, pairs, triples, out);
  for (double& value : out.pairs) value /= counted();
  for (double& value : out.triples) value /= counted();
  return out;
}

template <typename T>
Matrix EvidenceLeaver<T>::correlations_at_grid(const Seen& seen,
                                               std::span<const RowPair> pairs) const {
  Block sums(std::ssize(pairs), seen.rotated.cols());
  for (Index k = 0; k < sums.rows(); ++k) {
    const RowPair& pair = pairs[static_cast<std::size_t>(k)];
    sums.row(k) = seen.rotated.row(pair.first) + seen.rotated.row(pair.second);
  }
  const Matrix of_sums = resolvent_forms_of_rows<T>(reduced_.tridiagonal, sums, grid_.shifts);
  Matrix out(sums.rows(), of_sums.rows());
  for (Index k = 0; k < out.rows(); ++k) {
    const RowPair& pair = pairs[static_cast<std::size_t>(k)];
    for (Index g = 0; g < out.cols(); ++g) {
      const double inner =
          0.5 * (of_sums(g, k) - seen.forms(g, pair.first) - seen.forms(g, pair.second));
      const double root = std::exp(
          0.5 * (log_share(seen.forms(g, pair.first)) + log_share(seen.forms(g, pair.second))));
      out(k, g) = off_diagonal(inner) / root;
    }
  }
  return out;
}

template <typename T>
void EvidenceLeaver<T>::choose_columns(const std::vector<EvidenceColumn>& columns) {
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
    precisions.push_back(reduced_.dual ? column.unit_alpha : column.beta);
    const bool zero = column.kind == EvidenceCase::interpolates;
    shifts.push_back(zero ? shift_for_zero() : column.unit_t);
  }
  bare_.precision = Eigen::Map<const Vector>(bare.data(), std::ssize(bare));
  fitted_.precision = Eigen::Map<const Vector>(precisions.data(), std::ssize(precisions));
  grid_ = shift_grid(shifts);
  solution_ = resolvent_solve(reduced_.tridiagonal,
                              Matrix(reduced_.projected(Eigen::all, fitted_.of_target)), shifts)
                  .template cast<T>();
}

template <typename T>
double EvidenceLeaver<T>::shift_for_zero() const {
  const double least = intercept_ > 0.0 ? kNearlyZero : 1e-18;
  return least * reduced_.tridiagonal.eigenvalues.tail(1)[0];
}

template <typename T>
void EvidenceLeaver<T>::find_target_means() {
  const auto n = static_cast<double>(rows_.rows());
  if (targets_.kind == TargetKind::classes) {
    for (const Label label : targets_.labels) target_mean_[label] += 1.0 / n;
  } else {
    target_mean_ = targets_.values.colwise().mean().transpose();
  }
}

template <typename T>
double EvidenceLeaver<T>::target(Index row, Index c) const {
  const double mean = target_mean_[c];
  if (targets_.kind != TargetKind::classes) return targets_.values(row, c) - mean;
  return (targets_.labels[static_cast<std::size_t>(row)] == c ? 1.0 : 0.0) - mean;
}

template <typename T>
typename EvidenceLeaver<T>::Block EvidenceLeaver<T>::rotated(std::span<const Index> chosen) const {
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

template <typename T>
typename EvidenceLeaver<T>::Seen EvidenceLeaver<T>::look_at(std::span<const Index> chosen,
                                                            bool shares) const {
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

template <typename T>
double EvidenceLeaver<T>::log_share(double form) const {
  const double share = reduced_.dual ? form : 1.0 - intercept_ - form;
  return std::log(std::max(share, reduced_.dual ? kLeastShare * form : kLeastShare));
}

template <typename T>
double EvidenceLeaver<T>::without_features(std::span<const Index> group) const {
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

template <typename T>
void EvidenceLeaver<T>::add_without_features(std::span<const Index> chosen,
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

template <typename T>
std::vector<Matrix> EvidenceLeaver<T>::blocks_at_grid(const Block& rows) const {
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

template class EvidenceLeaver<float>;
template class EvidenceLeaver<double>;

}  // namespace assay
