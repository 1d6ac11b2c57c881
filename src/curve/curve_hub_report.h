#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/curve.h"

namespace assay {

// "resnet needs about 2,900 labels [2,600-3,300] to reach a loss of 0.2; the runner-up, mobilenet,
// needs 6,900.", one sentence per target; empty without targets.
std::string curve_answer(const CurveResult& result);

// What --certify found, one line per model and tolerance.
std::string certificate_text(const CurveResult& result);

// curve_json with the probe, the rows, what --refine, --certify and the targets found, and
// `failed`.
nlohmann::ordered_json curve_hub_json(const CurveResult& result);

// What the user should know, one line each.
std::vector<std::string> curve_notes(const CurveResult& result);

}  // namespace assay
