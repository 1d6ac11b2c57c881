#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "assay/tune.h"
#include "report/screen.h"

namespace assay {

// One row per method and set of teachers: mean, spread, difference to fine-tuning.
std::string tune_table(const TuneResult& result, const Screen& screen = {});

// What the table says, in a sentence or two.
std::string tune_verdict(const TuneResult& result);

nlohmann::ordered_json tune_json(const TuneResult& result);

}  // namespace assay
