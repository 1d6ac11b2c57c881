#pragma once

#include "assay/tune.h"

namespace assay {

// False for plain fine-tuning, which has none.
bool has_teachers(TuneMethod method);

}  // namespace assay
