#pragma once

#include <string>

#include "assay/core/parallel.h"
#include "assay/images/image_source.h"

namespace assay {

// Digest of all images in their order.
std::string images_digest(ThreadPool& pool, const ImageSource& images);

}  // namespace assay
