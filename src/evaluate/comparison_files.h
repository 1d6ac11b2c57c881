#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/evaluate.h"
#include "evaluate/score_files.h"

namespace assay {

// What `assay evaluate` is given.
struct ComparisonFiles {
  std::vector<std::filesystem::path> scores = {};
  std::vector<std::filesystem::path> truth = {};
  TruthOptions options = {};  // its `lower_is_better` and `group_column` hold for both sides
};

struct ComparedFiles {
  std::vector<ComparedDataset> datasets = {};    // on both sides, in the truth's order
  std::vector<std::string> only_in_scores = {};  // names of data sets
  std::vector<std::string> only_in_truth = {};
};

// Reads both sides and matches them by data set. A row's data set is its cell in the
// column `dataset`. A file without that column is one data set: the other file's, when
// there are as many score files as truth files (they are then pairs), else one named
// like the file without a trailing `_scores`, `_rank` or `_truth`. Truth files in pairs
// with unnamed score files name the data set the same way; where two such names would be
// equal, their folders' names go in front ("flowers/truth").
//
// Groups come from the group column of the truth, else of the scores.
//
// Throws Error, beside what read_score_sets and read_truth_sets refuse: when no data set
// or no model is on both sides, a data set comes twice, the group column is nowhere, a
// metric is better when higher in one file and when lower in another, or
// `lower_is_better` names a column that nobody has.
ComparedFiles read_comparison(const ComparisonFiles& files);

}  // namespace assay
