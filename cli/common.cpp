#include "common.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "assay/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/atomic_file.h"
#include "io/csv.h"
#include "report/screen.h"

namespace assay::cli {

Index GlobalOptions::memory_bytes() const {
  return memory_limit.empty() ? default_memory_limit() : parse_bytes(memory_limit);
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

void show_text(std::FILE* stream, const std::string& text) {
  fmt::print(stream, "{}", for_terminal(text));
}

void warn(const GlobalOptions& global, const std::string& message) {
  if (!global.quiet) complain("assay: {}\n", message);
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
