#pragma once

#include "assay/curve.h"

namespace assay {

// What can be said of a request before any file is read. Throws Error naming the field.
void check_request(const CurveRequest& request);

}  // namespace assay
