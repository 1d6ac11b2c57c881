#pragma once

#include <string>

#include "assay/learning.h"
#include "assay/types.h"

namespace assay {

// "constant", "step", "cosine". Throws Error for anything else.
RateSchedule parse_schedule(const std::string& text);
std::string schedule_name(RateSchedule schedule);

// What the learning rate is multiplied by in epoch 0 ... epochs - 1: a tenth from two thirds on
// (step), or (1 + cos(pi epoch / epochs)) / 2 (cosine), both as PyTorch's schedulers step by epoch.
double rate_factor(RateSchedule schedule, Index epoch, Index epochs);

}  // namespace assay
