#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/rank.h"
#include "common.h"
#include "data_options.h"
#include "requirement_options.h"
#include "search_options.h"

namespace assay::cli {

// What `rank` was asked, as typed.
struct RankArgs {
  std::vector<std::filesystem::path> inputs;
  std::vector<std::filesystem::path> named;  // the inputs before --require
  std::filesystem::path labels;
  DataRequest data;
  bool soft_labels = false;
  bool source_weights = false;
  PactranSettings pactran;
  std::filesystem::path groups;
  std::filesystem::path truth;
  std::filesystem::path csv;
  std::filesystem::path html;
  std::string metric = "default";
  std::string by;
  double ci = 0.95;
  std::string center = "auto";
  bool accuracy = false;
  Index test_rows = 0;
  bool controls = false;
  bool refit = false;
  std::string jackknife = "closed";
  bool fixed_points = false;
  std::string subsample;
  Index knn_exact_rows = kKnnExactRows;
  SearchArgs search;
  RequirementArgs require;
  std::vector<Model> models;  // that --require leaves of files of features
  std::vector<std::filesystem::path> moments;
  bool allow_missing = false;
};

void add_rank_options(CLI::App* cmd, RankArgs& args);

// What the library is asked. Throws Error for lists and numbers that make no sense.
RankRequest rank_request(const RankArgs& args, const GlobalOptions& global);

}  // namespace assay::cli
