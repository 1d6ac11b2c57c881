#pragma once

#include <string>

#include "assay/images.h"
#include "assay/thread_pool.h"

namespace assay {

// Digest of all images in their order.
std::string images_digest(ThreadPool& pool, const ImageSource& images);

}  // namespace assay
