#include "parts/model_moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "data/check_targets.h"
#include "data/folds.h"
#include "data/moments_pass.h"

namespace assay {
namespace {

std::optional<std::int64_t> whole(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

// In the order that ids have in one file of labels: by number where all are numbers.
std::vector<std::string> union_of(const std::vector<std::string>& a,
                                  const std::vector<std::string>& b) {
  std::vector<std::string> all = a;
  for (const std::string& id : b)
    if (std::ranges::find(a, id) == a.end()) all.push_back(id);
  const bool numbers =
      std::ranges::all_of(all, [](const auto& id) { return whole(id).has_value(); });
  if (numbers) {
    std::ranges::sort(all, {}, [](const auto& id) { return *whole(id); });
  } else {
    std::ranges::sort(all);
  }
  return all;
}

// With zeros for columns it does not have.
Moments with_columns(const Moments& moments, const std::vector<std::string>& have,
                     const std::vector<std::string>& want) {
  if (have == want) return moments;
  Moments out = moments;
  const auto columns = static_cast<Index>(want.size());
  out.cross = Matrix::Zero(moments.dim(), columns);
  out.target_sum = Vector::Zero(columns);
  out.target_square = Vector::Zero(columns);
  for (Index from = 0; from < std::ssize(have); ++from) {
    const auto at = std::ranges::find(want, have[static_cast<std::size_t>(from)]);
    const Index to = at - want.begin();
    out.cross.col(to) = moments.cross.col(from);
    out.target_sum[to] = moments.target_sum[from];
    out.target_square[to] = moments.target_square[from];
  }
  return out;
}

void require_alike(const ModelMoments& a, const ModelMoments& b) {
  if (a.dim() != b.dim())
    fail_input(fmt::format("moments of {} and of {} dimensions do not add", a.dim(), b.dim()));
  if (a.kind != b.kind) fail_input("moments of classes and of numbers do not add");
  if (a.folds.size() != b.folds.size())
    fail_input(
        fmt::format("moments of {} and of {} folds do not add", a.folds.size(), b.folds.size()));
  if (a.kind != TargetKind::classes && a.columns != b.columns)
    fail_input("moments of other target columns do not add");
  if (a.folds.front().scale != b.folds.front().scale)
    fail_input("one of these moments is of values near the limits of double; they do not add");
}

}  // namespace

Moments shifted(const Moments& moments, const Vector& shift) {
  if (moments.shift == shift) return moments;
  const Vector d = moments.shift - shift;  // x' = scale f - shift = x + d
  const auto n = static_cast<double>(moments.count);
  Moments out = moments;
  out.shift = shift;
  const Matrix gram = moments.gram.selfadjointView<Eigen::Lower>();
  out.gram += d * moments.sum.transpose() + moments.sum * d.transpose() + n * d * d.transpose();
  out.sum += n * d;
  out.cross += d * moments.target_sum.transpose();
  // |x + d|^2 = q + 2 d'x + d'd with q = |x|^2; of its powers the sums that are known.
  const double dd = d.squaredNorm();
  const double q = gram.trace();
  const Vector gd = gram * d;
  const double ds = d.dot(moments.sum);
  out.cubic += 2.0 * gd + dd * moments.sum + (q + 2.0 * ds + n * dd) * d;
  out.fourth +=
      4.0 * d.dot(moments.cubic) + 4.0 * d.dot(gd) + 2.0 * dd * q + 4.0 * dd * ds + n * dd * dd;
  return out;
}

Index ModelMoments::rows() const {
  Index sum = 0;
  for (const Moments& fold : folds) sum += fold.count;
  return sum;
}

Moments ModelMoments::total() const {
  Moments sum = folds.front();
  for (std::size_t k = 1; k < folds.size(); ++k) sum += folds[k];
  return sum;
}

ModelMoments& ModelMoments::operator+=(const ModelMoments& other) {
  if (other.folds.empty()) return *this;
  if (folds.empty()) return *this = other;
  require_alike(*this, other);
  const std::vector<std::string> all =
      kind == TargetKind::classes ? union_of(columns, other.columns) : columns;
  const Vector shift = folds.front().shift;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    folds[k] = with_columns(folds[k], columns, all);
    folds[k] += with_columns(shifted(other.folds[k], shift), other.columns, all);
  }
  columns = all;
  return *this;
}

ModelMoments moments_of_rows(ThreadPool& pool, const RowSource& rows, const Targets& targets,
                             const std::vector<Index>& fold_of_row, Index folds) {
  require_matching(rows, targets);
  MomentsPass pass = accumulate_moments(pool, rows, targets, fold_of_row, folds,
                                        PassSettings{suitable_precision(rows)});
  return {targets.kind, targets.names, std::move(pass.buckets)};
}

ModelMoments moments_of_batch(ThreadPool& pool, const RowSource& rows, const Targets& targets,
                              Index before, std::uint64_t seed) {
  Folds dealt = stratified_folds(targets, kMomentFolds, seed + static_cast<std::uint64_t>(before));
  if (dealt.of_row.empty()) dealt.of_row.assign(static_cast<std::size_t>(rows.rows()), 0);
  for (Index& fold : dealt.of_row) fold = (fold + before) % kMomentFolds;
  return moments_of_rows(pool, rows, targets, dealt.of_row, kMomentFolds);
}

}  // namespace assay
