#include "common.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "assay/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/atomic_file.h"
#include "io/csv.h"

namespace assay::cli {

Index GlobalOptions::memory_bytes() const {
  return memory_limit.empty() ? default_memory_limit() : parse_bytes(memory_limit);
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  write_file_atomically(path, {text});
}

namespace {

// Whether the file holds something a hub is read from, one or two folders deep.
bool is_part_of_hub(const std::filesystem::path& file, const std::filesystem::path& hub) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path folder = fs::absolute(file, ignored).parent_path();
  if (!fs::equivalent(folder, hub, ignored) && !fs::equivalent(folder.parent_path(), hub, ignored))
    return false;
  const std::string extension = file.extension().string();
  constexpr std::array kinds = {".npy", ".npz", ".h5", ".hdf5", ".safetensors", ".pt", ".onnx"};
  return file.filename() == "hub.json" || std::ranges::find(kinds, extension) != kinds.end();
}

}  // namespace

void refuse_overwriting(const std::vector<std::filesystem::path>& outputs,
                        const std::vector<std::filesystem::path>& inputs) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const fs::path& output : outputs) {
    if (output.empty() || !fs::is_regular_file(output, ignored)) continue;
    for (const fs::path& input : inputs) {
      const bool same = fs::is_directory(input, ignored) ? is_part_of_hub(output, input)
                                                         : fs::equivalent(output, input, ignored);
      if (same) {
        fail_input(fmt::format("{}: is an input and would be overwritten; name another output file",
                               output.string()));
      }
    }
  }
}

void write_json(const GlobalOptions& global, const nlohmann::ordered_json& result) {
  if (global.json.empty()) return;
  // File names need not be UTF-8; what is not is shown with a replacement mark.
  const std::string text =
      result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (global.json_on_stdout()) {
    fmt::print("{}", text);
    return;
  }
  write_file_atomically(global.json, {text});
}

std::string output_file_problem(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (path == "-") return {};
  if (fs::is_directory(path, ignored))
    return fmt::format("{} is a directory; name a file in it", path);
  const fs::path folder = fs::path(path).parent_path();
  if (folder.empty() || fs::is_directory(folder, ignored)) return {};
  return fmt::format("{}: there is no directory {}; make it first, or name another file", path,
                     folder.string());
}

void warn(const GlobalOptions& global, const std::string& message) {
  if (!global.quiet) fmt::print(stderr, "assay: {}\n", message);
}

std::vector<double> numbers_in(const std::string& list, const std::string& option,
                               const std::string& expected) {
  std::vector<double> out;
  for (const std::string& part : split_list(list)) {
    const std::optional<double> value = number_in(part);
    if (!value) fail_input(fmt::format("{} '{}': expected {}", option, list, expected));
    out.push_back(*value);
  }
  return out;
}

}  // namespace assay::cli
