#pragma once

#include <span>
#include <string>

#include "evaluate/score_files.h"

namespace assay {

// The scores and dimensions in the JSON result of `assay rank`; see read_score_sets.
DatasetScores scores_of_json(const std::string& text, const std::string& where,
                             std::span<const std::string> lower_is_better);

}  // namespace assay
