#pragma once

namespace assay {

// Seconds on a clock that never jumps.
double monotonic_seconds();

}  // namespace assay
