#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluate/comparison_files.h"
#include "report/screen.h"

namespace assay {

// What `assay evaluate` found and what it was asked to group by.
struct EvaluationReport {
  std::string truth_column;
  std::string group_column;  // empty: no groups
  ComparedFiles comparison;
  ManyEvaluation result;
};

// For the terminal: one data set's table, or the averages and the weighted tau of every
// data set; then one table per group.
std::string evaluation_text(const EvaluationReport& report, const Screen& screen = {});

// One data set: evaluation_json. Several: `metrics` holds the averages and `top1` is a
// share. `datasets` has every data set by itself, `groups` every group's averages.
nlohmann::ordered_json evaluation_json(const EvaluationReport& report);

// What was left out and why, one line each.
std::vector<std::string> evaluation_notes(const EvaluationReport& report);

// Models that only the scores or only the truth have, in words.
std::vector<std::string> unmatched_notes(const Evaluation& evaluation,
                                         const std::string& where = "");

}  // namespace assay
