#pragma once

#include <functional>
#include <string>

namespace assay {

// Told how far a long computation is; `done` in [0, 1], `what` names the step.
// Called from one thread at a time. May be empty: then nothing is reported.
using ProgressCallback = std::function<void(double done, const std::string& what)>;

}  // namespace assay
