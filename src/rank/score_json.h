#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/rank/evaluate.h"

namespace assay {

// The scores in the JSON result of `assay rank`; see read_scores.
std::vector<ScoreColumn> scores_of_json(const std::string& text, const std::string& where,
                                        std::span<const std::string> lower_is_better);

}  // namespace assay
