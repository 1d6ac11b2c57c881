#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/html_page.h"

namespace assay {

// The results of Assay among the .json files of a folder and the folders in it, in the order of
// their paths. Other JSON files are passed over, and `passed_over` says why, one line each. Links
// to folders are not followed. Throws Error when no result is there.
struct ResultFolder {
  std::vector<PageResult> results;
  std::vector<std::string> passed_over;
};
ResultFolder read_result_folder(const std::filesystem::path& folder);

}  // namespace assay
