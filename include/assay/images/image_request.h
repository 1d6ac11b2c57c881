#pragma once

#include <filesystem>
#include <string>

#include "assay/core/types.h"

namespace assay {

// The images that a command trains or tests networks on.
struct ImageRequest {
  std::filesystem::path data;  // see open_image_data
  std::string split = "train";
  Index input_size = 0;  // 0: each network's own
};

}  // namespace assay
