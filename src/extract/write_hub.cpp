#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "assay/error.h"
#include "assay/extract.h"
#include "core/names.h"
#include "io/atomic_file.h"
#include "io/npy.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// One file of all shards; they are mapped, so it may be larger than memory.
void join_shards(const std::vector<fs::path>& shards, const fs::path& out) {
  std::vector<Array> arrays;
  std::vector<Index> shape = {0, 0};
  for (const fs::path& shard : shards) {
    arrays.push_back(open_npy(shard));
    shape = {shape[0] + arrays.back().shape[0], arrays.back().shape[1]};
  }
  const std::string header = npy_header(ElementType::f32, shape);
  std::vector<std::string_view> parts = {header};
  for (const Array& array : arrays)
    parts.emplace_back(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  write_file_atomically(out, parts);
}

std::optional<std::vector<Index>> integer_names(const std::vector<std::string>& names) {
  std::vector<Index> ids;
  for (const std::string& name : names) {
    Index id = 0;
    const char* end = name.data() + name.size();
    const auto [stop, status] = std::from_chars(name.data(), end, id);
    if (status != std::errc{} || stop != end) return std::nullopt;
    ids.push_back(id);
  }
  return ids;
}

void write_classes(const Targets& targets, const fs::path& folder) {
  const std::optional<std::vector<Index>> ids = integer_names(targets.names);
  std::vector<Index> labels;
  for (const Label label : targets.labels)
    labels.push_back(ids ? (*ids)[static_cast<std::size_t>(label)] : label);
  write_npy(folder / "labels.npy", labels);
  if (ids) return;
  std::string names;
  for (const std::string& name : targets.names) names += name + "\n";
  write_file_atomically(folder / "classes.txt", {names});
}

void write_labels(const Targets& targets, const fs::path& folder) {
  if (targets.kind == TargetKind::classes) return write_classes(targets, folder);
  if (targets.kind == TargetKind::regression)
    return write_npy(folder / "labels.npy", targets.values);
  std::vector<Index> bits;
  for (Index i = 0; i < targets.values.rows(); ++i) {
    for (Index j = 0; j < targets.values.cols(); ++j)
      bits.push_back(static_cast<Index>(targets.values(i, j)));
  }
  const std::vector<Index> shape = {targets.values.rows(), targets.values.cols()};
  write_npy(folder / "labels.npy", ElementType::i64, shape, std::as_bytes(std::span(bits)));
}

void make_hub_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    throw Error(ErrorCode::io,
                fmt::format("{}: cannot create it: {}", folder.string(), failure.message()));
  }
}

}  // namespace

void write_extracted_hub(const Hub& hub, const fs::path& folder) {
  make_hub_folder(folder);
  for (const Model& model : hub.models) {
    if (!is_plain_name(model.name))
      fail_input(fmt::format("'{}' cannot be the name of a folder; rename the model", model.name));
    make_hub_folder(folder / model.name);
    join_shards(model.features, folder / model.name / "features.npy");
    const fs::path probabilities = folder / model.name / "probs.npy";
    std::error_code ignored;  // of an earlier run, with another network of this name
    fs::remove(probabilities, ignored);
    if (!model.probabilities.empty()) join_shards(model.probabilities, probabilities);
  }
  if (hub.targets) write_labels(*hub.targets, folder);
}

}  // namespace assay
