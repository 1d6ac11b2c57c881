#pragma once

#include <vector>

#include "assay/targets.h"

namespace assay {

// Test labels in the codes of the training labels. Throws Error for a class that only the test
// labels have.
std::vector<Label> recode_labels(const Targets& test, const Targets& train);

}  // namespace assay
