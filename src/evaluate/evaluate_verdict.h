#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "evaluate/evaluate_datasets_report.h"

namespace assay {

// Which metric predicted the truth best, and whether that can be told, in words.
std::string evaluation_verdict(const EvaluationReport& report);

// The same as numbers: {metric, weighted_kendall, low, high, not_separable_from[], ...}, null when
// there is nothing to compare.
nlohmann::ordered_json leading_metric_json(const EvaluationReport& report);

// The whole result as command and module give it: `command`, `verdict`, `best`, then
// evaluation_json. Provenance is the caller's.
nlohmann::ordered_json evaluation_with_verdict_json(const EvaluationReport& report);

}  // namespace assay
