#pragma once

#include <cstdint>

#include "assay/features.h"
#include "assay/hub.h"
#include "assay/images.h"

namespace assay {

// Leaves only the images that some draw takes, in their order. The draws are those that all images
// would have given, so that scores are the same.
DrawnRows keep_drawn(const Subsample& subsample, std::uint64_t seed, LabelledImages& images);

}  // namespace assay
