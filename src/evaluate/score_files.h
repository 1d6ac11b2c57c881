#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/evaluate.h"

namespace assay {

// Reading what `assay evaluate` compares. Every function throws Error, naming the
// file, the line and the column, for whatever the file gets wrong: a cell that is
// neither blank nor a finite number, a model or a column that appears twice, no
// `name` column. Cells are never guessed at: a score that does not exist is blank.

// Whether a metric of this name is better when higher: as `assay metrics` declares
// it. Of the names it does not know, all are except `linear`, `linear_valid`,
// `pactran_*` and `npactran_*`, which are losses and bounds.
bool higher_is_better_by_name(std::string_view metric);

// The scores of one data set.
struct DatasetScores {
  std::string dataset = {};  // empty: the file does not say
  std::vector<ScoreColumn> columns = {};
  std::map<std::string, double> dims = {};         // model -> feature dimension
  std::map<std::string, std::string> groups = {};  // model -> cell of the group column
};

struct ScoreFileOptions {
  std::vector<std::string> lower_is_better = {};
  std::string group_column = {};  // is no metric either; empty: none
};

// The scores of `--scores`, one column per metric in the order of the file.
// JSON is the result of `assay rank`, `prior score`, `prior probe` or `robust score`; null is
// missing; `metrics.NAME.direction`
// ("higher" or "lower") overrules the name. Anything else is CSV: a `name` column
// and one column per metric; columns `dataset`, `group` and `dim` and columns
// without a title are no metrics. `lower_is_better` overrules both.
//
// One entry per value of the `dataset` column, in the order of the file; one entry
// without it. `dims` are the JSON's `models[].dim` or the CSV's column `dim`.
std::vector<DatasetScores> read_score_sets(const std::filesystem::path& path,
                                           const ScoreFileOptions& options);

// The same for a file of one data set; throws Error when it has several.
std::vector<ScoreColumn> read_scores(const std::filesystem::path& path,
                                     std::span<const std::string> lower_is_better);

struct TruthOptions {
  std::string column = {};                        // empty: `accuracy`
  std::vector<std::string> static_columns = {};   // baselines beside the usual ones
  std::vector<std::string> lower_is_better = {};  // truth or baselines; no name implies it
  std::string group_column = {};                  // empty: none
  std::vector<GroupBand> bands = {};              // of its numbers; empty: the usual ones
};

// The truth of one data set.
struct DatasetTruth {
  std::string dataset = {};  // empty: the file does not say
  Truth truth = {};
  std::map<std::string, std::string> groups = {};  // model -> cell of the group column
  std::vector<std::string> titles = {};            // all columns of the file
};

// The truth CSV of `--truth`, one entry per value of its `dataset` column. `params`,
// `upstream` and `dim` become baselines when all their cells are numbers; a column
// named in `static_columns` must be there and numeric. Other columns are ignored.
std::vector<DatasetTruth> read_truth_sets(const std::filesystem::path& path,
                                          const TruthOptions& options);

// The same for a file of one data set; throws Error when it has several.
Truth read_truth(const std::filesystem::path& path, const TruthOptions& options);

// Adds the feature dimension as baseline `dim`, unless the truth has brought its own.
void add_dim_baseline(Truth& truth, const std::map<std::string, double>& dims,
                      std::span<const std::string> lower_is_better);

// Throws Error, showing a few names of each side, when no scored model has a
// truth. Call it before scoring: it needs no scores.
void require_common_models(std::span<const std::string> scored, const Truth& truth);
std::vector<std::string> model_names(const std::vector<ScoreColumn>& scores);

// Throws Error when `lower_is_better` names a column that neither side has: a
// spelling mistake there would turn a ranking upside down without a word.
void require_known_columns(std::span<const std::string> lower_is_better,
                           const std::vector<ScoreColumn>& scores, const Truth& truth);

}  // namespace assay
