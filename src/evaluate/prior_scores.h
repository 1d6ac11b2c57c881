#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace assay {

// Whether a result is one of `prior score` or `prior probe`.
bool is_prior_result(const nlohmann::ordered_json& result);

// The same result laid out as one of `rank`: each model once with its scores, directions in
// `metrics`. With several priors or temperatures each has columns of its own, `probe_r2 (prior)` or
// `expectation (prior, T = 0.1)`. The decay of alpha-ReQ becomes its distance from 1. The prior's
// own models are left out under it. Throws Error for what is not such a result.
nlohmann::ordered_json scores_of_prior(const nlohmann::ordered_json& result,
                                       const std::string& where);

}  // namespace assay
