#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "assay/robust.h"
#include "report/screen.h"

namespace assay {

// One row per threshold and model, one column per epsilon: the measured value and, in brackets,
// the calibrated one with half of its interval. Laid out like Table 2 of the SynBench paper.
std::string robust_table(const SynbenchResult& result, const SynbenchRequest& request,
                         const Screen& screen = {});

// Everything: scores, the points they come from, and the expected bound against the threshold
// accuracy, for the representations and for the raw data.
nlohmann::ordered_json robust_json(const SynbenchResult& result, const SynbenchRequest& request);

}  // namespace assay
