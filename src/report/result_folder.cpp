#include "report/result_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied,
                                           failed);
  for (; !failed && entries != fs::recursive_directory_iterator(); entries.increment(failed)) {
    if (entries->path().extension() == ".json" && entries->is_regular_file(failed))
      files.push_back(entries->path());
  }
  if (failed) fail_input(fmt::format("{}: cannot be read: {}", folder.string(), failed.message()));
  std::ranges::sort(files);
  return files;
}

}  // namespace

ResultFolder read_result_folder(const fs::path& folder) {
  ResultFolder found;
  for (const fs::path& file : json_files(folder)) {
    try {
      found.results.push_back(read_page_result(file));
    } catch (const Error& error) {
      found.passed_over.emplace_back(error.what());
    }
  }
  if (!found.results.empty()) return found;
  fail_input(fmt::format(
      "{}: no result of assay in this folder; keep results with `json` and name their folder{}",
      folder.string(),
      found.passed_over.empty() ? ""
                                : fmt::format(" (first of {}: {})", found.passed_over.size(),
                                              found.passed_over.front())));
}

}  // namespace assay
