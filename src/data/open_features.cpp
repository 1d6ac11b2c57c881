#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "assay/features.h"
#include "core/memory.h"
#include "data/check_finite.h"
#include "io/csv.h"
#include "io/hdf5.h"
#include "io/hdf5_worker.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/safetensors.h"

namespace assay {
namespace {

using Path = std::filesystem::path;
using Names = std::vector<std::string>;

// What one array of a file is said to hold, before anything of it is read.
struct Member {
  std::string name;
  ElementType type = ElementType::f64;
  std::vector<Index> shape;
};

template <auto Look>
Member member_by(const Path& path, const std::string& name) {
  auto found = Look(path, name);
  return {name, found.type, std::move(found.shape)};
}

template <Array (*Read)(const Path&, const std::string&)>
Rows rows_by(const Path& path, const std::string& name) {
  return rows_of_array(Read(path, name), {path});
}

// Formats whose files hold several named arrays.
struct Container {
  std::string_view extension;
  Names (*names)(const Path&);
  Array (*read)(const Path&, const std::string&);
  Member (*peek)(const Path&, const std::string&);
  Rows (*rows)(const Path&, const std::string&);
};

constexpr std::array kContainers = {
    Container{".npz", npz_members, open_npz_member, member_by<npz_shape>, rows_by<open_npz_member>},
    Container{".safetensors", safetensors_names, open_safetensors, member_by<open_safetensors>,
              rows_by<open_safetensors>},  // opening maps it and reads nothing
    Container{".h5", hdf5_names, read_hdf5, member_by<hdf5_shape>, rows_of_hdf5},
    Container{".hdf5", hdf5_names, read_hdf5, member_by<hdf5_shape>, rows_of_hdf5}};
constexpr std::array<std::string_view, 2> kSingle = {".npy", ".csv"};

const Container* container_of(const Path& path) {
  const auto* row = std::find_if(
      kContainers.begin(), kContainers.end(),
      [&](const Container& container) { return path.extension() == container.extension; });
  return row != kContainers.end() ? row : nullptr;
}

bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// `features`, else the only 2-D float array.
std::string feature_member(const Container& container, const Path& path) {
  const Names names = container.names(path);
  if (holds(names, "features")) return "features";
  if (names.size() == 1) return names.front();
  std::vector<Member> candidates;
  Names contents;
  for (const std::string& name : names) {
    try {
      Member member = container.peek(path, name);
      contents.push_back(
          fmt::format("{} {} {}", name, element_name(member.type), shape_text(member.shape)));
      const bool reserved = name == "labels" || name == "probs";
      if (!reserved && member.shape.size() == 2 && is_floating(member.type))
        candidates.push_back(std::move(member));
    } catch (const Error&) {  // an array of a kind we cannot use is no reason to refuse the others
      contents.push_back(name + " (not readable)");
    }
  }
  if (candidates.size() == 1) return candidates.front().name;
  fail_input(fmt::format(
      "{}: expected an array named 'features', or only one 2-D float array; it holds: {}",
      path.string(), names.empty() ? "nothing" : fmt::format("{}", fmt::join(contents, ", "))));
}

void require_not_negative(const RowSource& rows, Index row, const Eigen::Ref<const Vector>& values,
                          std::string_view what) {
  checked_magnitude(rows, row, values.data());
  Index lowest = 0;
  if (values.minCoeff(&lowest) < 0.0) {
    fail_input(fmt::format("{}: row {}, column {} is {}; {} cannot be negative", rows.where(), row,
                           lowest, values[lowest], what));
  }
}

void require_weights(const RowSource& rows, Index row, const Eigen::Ref<const Vector>& values) {
  require_not_negative(rows, row, values, "source weights");
  if (values.maxCoeff() > 0.0) return;
  fail_input(fmt::format("{}: row {} has no weight on any source class", rows.where(), row));
}

// Makes the row sum to 1; throws Error when that is not rounding.
void make_distribution(const RowSource& rows, Index row, Eigen::Ref<Vector> values) {
  require_not_negative(rows, row, values, "probabilities");
  const double sum = values.sum();
  if (std::abs(sum - 1.0) > 1e-3) {
    fail_input(
        fmt::format("{}: row {} sums to {}; rows of probabilities must sum to 1 within "
                    "0.001 (apply a softmax to logits)",
                    rows.where(), row, sum));
  }
  values /= sum;
}

// n x Z, every row seen by `check`.
template <typename Check>
Matrix read_checked(const RowSource& rows, const Check& check) {
  constexpr Index together = 1024;
  require_readable(checked_byte_size(sizeof(double), {rows.rows(), rows.cols()}), rows.where(),
                   "as probabilities");
  Matrix out(rows.rows(), rows.cols());
  for (Index first = 0; first < rows.rows(); first += together) {
    std::vector<Index> part(static_cast<std::size_t>(std::min(together, rows.rows() - first)));
    std::iota(part.begin(), part.end(), first);
    Matrix columns(rows.cols(), std::ssize(part));
    rows.read(part, columns.data());
    for (const Index row : part) check(rows, row, columns.col(row - first));
    out.middleRows(first, columns.cols()) = columns.transpose();
    rows.release(first, first + columns.cols());
  }
  return out;
}

}  // namespace

bool is_feature_file(const Path& path) {
  const auto known = [&](std::string_view extension) { return path.extension() == extension; };
  return container_of(path) != nullptr || std::any_of(kSingle.begin(), kSingle.end(), known);
}

void read_hdf5_with(const Path& command) { use_hdf5_worker(command); }

Rows open_features(const Path& path) {
  if (const Container* container = container_of(path)) {
    return container->rows(path, feature_member(*container, path));
  }
  if (path.extension() == ".npy") return rows_of_array(open_npy(path), {path});
  if (path.extension() == ".csv") return rows_of_array(read_numeric_csv(path), {path});
  fail_input(fmt::format(
      "{}: unknown kind of feature file '{}'; expected .npy, .npz, .h5, .hdf5, .safetensors or "
      ".csv",
      path.string(), path.extension().string()));
}

std::optional<Targets> embedded_labels(const Path& path) {
  const Container* container = container_of(path);
  if (container == nullptr || !holds(container->names(path), "labels")) return std::nullopt;
  return targets_of_array(container->read(path, "labels"));
}

std::optional<Rows> embedded_probabilities(const Path& path) {
  const Container* container = container_of(path);
  if (container == nullptr || !holds(container->names(path), "probs")) return std::nullopt;
  return container->rows(path, "probs");
}

Matrix read_probabilities(const RowSource& rows) { return read_checked(rows, make_distribution); }

Matrix read_source_weights(const RowSource& rows) { return read_checked(rows, require_weights); }

}  // namespace assay
