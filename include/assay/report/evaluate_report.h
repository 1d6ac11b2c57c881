#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "assay/rank/evaluate.h"

namespace assay {

// The table of `assay evaluate`, one row per metric and static baseline, and how to read it.
std::string evaluation_table(const Evaluation& evaluation, const std::string& truth_column);

nlohmann::ordered_json evaluation_json(const Evaluation& evaluation,
                                       const std::string& truth_column);

}  // namespace assay
