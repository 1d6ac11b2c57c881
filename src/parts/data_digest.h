#pragma once

#include <string>

#include "assay/targets.h"

namespace assay {

// What tells labels from other labels: their kind, values and names; not the file's name.
std::string targets_digest(const Targets& targets);

}  // namespace assay
