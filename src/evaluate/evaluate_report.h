#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "assay/evaluate.h"
#include "report/screen.h"

namespace assay {

// The table of `assay evaluate`, one row per metric and static baseline, and how to read it.
std::string evaluation_table(const Evaluation& evaluation, const std::string& truth_column,
                             const Screen& screen = {});

nlohmann::ordered_json evaluation_json(const Evaluation& evaluation,
                                       const std::string& truth_column);

// Adds what was compared, for charts: `models[] = {name, truth, scores}`, `truth_direction`, and
// the direction of every metric.
void add_evaluated_models(nlohmann::ordered_json& json, const std::vector<ScoreColumn>& scores,
                          const Truth& truth);

}  // namespace assay
