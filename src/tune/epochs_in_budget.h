#pragma once

#include <vector>

#include "tune/run_jobs.h"

namespace assay {

// How many epochs the jobs, their search included, can train for in the budget of the settings, at
// least 1. A few training steps of each network are timed; the answer is kept beside the
// checkpoints, so that a command that is repeated after it was killed goes on with the same number.
// `threads`: how many runs go side by side.
Index epochs_in_budget(const std::vector<TuneJob>& jobs, const TuneContext& context, Index threads);

// The largest number of epochs, 1 ... 100000, that takes at most so many seconds when one takes
// `seconds_per_epoch`.
Index affordable_epochs(const std::vector<TuneJob>& jobs, const TuneSettings& settings,
                        double seconds_per_epoch, double seconds);

}  // namespace assay
