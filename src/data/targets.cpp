#include "assay/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "assay/error.h"
#include "core/memory.h"
#include "data/class_encoder.h"

namespace assay {
namespace {

// Values this large would overflow when squared and summed over a data set.
constexpr double kLargestTarget = 1e100;

template <typename Id>
Targets encode(std::span<const Id> ids, std::string where) {
  if (ids.empty()) fail_input(fmt::format("{}: holds no labels", where));
  std::unordered_map<Id, Label> codes;
  for (const Id& id : ids) codes.try_emplace(id, 0);
  std::vector<Id> distinct;
  distinct.reserve(codes.size());
  for (const auto& [id, code] : codes) distinct.push_back(id);
  std::sort(distinct.begin(), distinct.end());
  Targets targets;
  for (std::size_t code = 0; code < distinct.size(); ++code) {
    codes.find(distinct[code])->second = static_cast<Label>(code);
    targets.names.push_back(fmt::format("{}", distinct[code]));
  }
  targets.labels.reserve(ids.size());
  for (const Id& id : ids) targets.labels.push_back(codes.find(id)->second);
  targets.where = std::move(where);
  return targets;
}

std::vector<std::string> column_numbers(Index count) {
  std::vector<std::string> names;
  for (Index j = 0; j < count; ++j) names.push_back(std::to_string(j));
  return names;
}

Targets classes_of_integers(const Array& array) {
  std::vector<std::int64_t> ids;
  ids.reserve(static_cast<std::size_t>(array.size()));
  for (Index i = 0; i < array.size(); ++i) ids.push_back(integer_at(array, i));
  if (array.type != ElementType::u64) return encode<std::int64_t>(ids, array.where);
  const std::vector<std::uint64_t> unsigned_ids(ids.begin(),
                                                ids.end());  // undoes integer_at's sign
  return encode<std::uint64_t>(unsigned_ids, array.where);
}

Targets classes_of_text(const Array& array) {
  ClassEncoder encoder;
  for (Index i = 0; i < array.size(); ++i) encoder.add(text_at(array, i));
  return std::move(encoder).targets(array.where);
}

Matrix matrix_of(const Array& array) {
  const Index rows = array.shape[0];
  const Index columns = array.rank() == 2 ? array.shape[1] : 1;
  Matrix values(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      values(i, j) = number_at(array, array.fortran_order ? j * rows + i : i * columns + j);
    }
  }
  return values;
}

Targets multi_label_of(const Array& array) {
  Targets targets;
  targets.kind = TargetKind::multi_label;
  targets.where = array.where;
  targets.values = matrix_of(array);
  for (Index i = 0; i < targets.values.rows(); ++i) {
    for (Index j = 0; j < targets.values.cols(); ++j) {
      const double value = targets.values(i, j);
      if (value == 0.0 || value == 1.0) continue;
      fail_input(fmt::format(
          "{}: several columns of integers are multi-label targets and must be 0 or 1, but row "
          "{}, column {} is {}; save class ids as one column, regression targets as floats",
          array.where, i, j, value));
    }
  }
  targets.names = column_numbers(targets.values.cols());
  return targets;
}

}  // namespace

Targets targets_of_classes(std::span<const std::int64_t> ids, std::string where) {
  return encode(ids, std::move(where));
}

Targets targets_of_classes(std::span<const std::string> ids, std::string where) {
  ClassEncoder encoder;
  for (const std::string& id : ids) encoder.add(id);
  return std::move(encoder).targets(std::move(where));
}

Targets targets_of_values(Matrix values, std::vector<std::string> names, std::string where) {
  if (values.size() == 0) fail_input(fmt::format("{}: holds no targets", where));
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) {
      const double value = values(i, j);
      if (std::abs(value) <= kLargestTarget) continue;
      const std::string found = std::isnan(value) ? "NaN; remove the row or impute it"
                                : std::isinf(value)
                                    ? "infinite; remove the row or impute it"
                                    : fmt::format("{:g}, beyond 1e100; rescale the targets", value);
      fail_input(fmt::format("{}: row {}, column {} is {}", where, i, j, found));
    }
  }
  if (names.empty()) names = column_numbers(values.cols());
  return {TargetKind::regression, {}, std::move(values), std::move(names), std::move(where)};
}

Targets soft_labels_of(Targets targets) {
  constexpr double largest_miss = 1e-3;
  if (targets.kind == TargetKind::classes || targets.columns() < 2) {
    fail_input(fmt::format(
        "{}: soft labels are rows of probabilities, one column for each of two or more classes",
        targets.where));
  }
  for (Index row = 0; row < targets.rows(); ++row) {
    auto shares = targets.values.row(row);
    const double sum = shares.sum();
    if (shares.minCoeff() < 0.0 || !(std::abs(sum - 1.0) <= largest_miss)) {
      fail_input(fmt::format(
          "{}: row {} is no soft label: probabilities of the classes are expected, 0 or more and "
          "summing to 1; these sum to {:g}, the least is {:g}",
          targets.where, row, sum, shares.minCoeff()));
    }
    shares /= sum;
  }
  targets.kind = TargetKind::soft_classes;
  return targets;
}

Targets targets_of_array(const Array& array) {
  if (array.rank() < 1 || array.rank() > 2) {
    fail_input(fmt::format(
        "{}: expected one label per row (1-D) or one row of targets per sample (2-D), got shape {}",
        array.where, shape_text(array.shape)));
  }
  if (array.size() == 0) {
    fail_input(fmt::format("{}: holds no labels, shape {}", array.where, shape_text(array.shape)));
  }
  constexpr Index bytes_per_label = 2 * sizeof(double) + sizeof(Label);
  require_readable(bytes_per_label * array.size(), array.where, "as labels");
  if (is_floating(array.type)) return targets_of_values(matrix_of(array), {}, array.where);
  const bool one_column = array.rank() == 1 || array.shape[1] == 1;
  if (is_text(array.type)) {
    if (one_column) return classes_of_text(array);
    fail_input(fmt::format("{}: text labels must be one per sample, got shape {}", array.where,
                           shape_text(array.shape)));
  }
  return one_column ? classes_of_integers(array) : multi_label_of(array);
}

}  // namespace assay
