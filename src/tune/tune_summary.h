#pragma once

#include <vector>

#include "assay/tune.h"

namespace assay {

// Runs of one method and set of teachers together: mean and standard deviation over seeds, and how
// each compares with plain fine-tuning, seed by seed.
std::vector<TuneSummary> tune_summaries(const std::vector<TuneRun>& runs);

}  // namespace assay
