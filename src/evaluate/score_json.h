#pragma once

#include <span>
#include <string>

#include "evaluate/score_files.h"

namespace assay {

// The scores and dimensions in the JSON result of `assay rank` or `assay robust score`; see
// read_score_sets. Of the latter: columns `value_eE_tT` and `calibrated_eE_tT` for every epsilon E
// and threshold T.
DatasetScores scores_of_json(const std::string& text, const std::string& where,
                             std::span<const std::string> lower_is_better);

}  // namespace assay
