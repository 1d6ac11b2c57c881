#pragma once

#include <span>

#include "assay/types.h"

namespace assay {

// 1 for every sample whose largest score is that of its label (the first of equals counts), else
// 0. scores: classes x samples; any increasing function of the scores gives the same.
Vector hits(const Matrix& scores, std::span<const Label> labels);

}  // namespace assay
