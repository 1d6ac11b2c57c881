#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "assay/truth.h"
#include "report/screen.h"

namespace assay {

// Models by accuracy, best first.
std::string truth_table(const TruthResult& result, const Screen& screen);

// truth.csv as `evaluate` and rank's truth read it.
std::string truth_csv(const TruthResult& result);

// `protocol`: "probe" or "finetune".
nlohmann::ordered_json truth_json(const TruthResult& result, const std::string& protocol);

}  // namespace assay
