#pragma once

#include "assay/tune.h"

namespace assay {

// False for plain fine-tuning, which has none.
bool has_teachers(TuneMethod method);

// The weight of a method's term of the loss where the request names none.
double default_lambda(TuneMethod method);

}  // namespace assay
