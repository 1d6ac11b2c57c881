#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/search.h"
#include "common.h"

namespace assay::cli {

// What `rank` asks for with --budget.
struct SearchArgs {
  std::string budget;  // empty: no search
  Index top = 0;       // 0: as SearchRequest has it
  std::filesystem::path prior_ranking;
};

void add_search_options(CLI::App* cmd, SearchArgs& args);

// Fails when options of a search were given without a budget.
void require_budget(const SearchArgs& args);

struct SearchOutputs {
  std::filesystem::path csv;
  std::filesystem::path html;
  std::vector<std::filesystem::path> inputs;  // that they must not overwrite
};

Exit run_search(SearchRequest request, const SearchArgs& args, const SearchOutputs& outputs,
                const GlobalOptions& global);

}  // namespace assay::cli
