#pragma once

#include <span>

#include "assay/images.h"

namespace assay {

// Bilinear with half-pixel centres (PyTorch's align_corners = false), per axis; an axis that
// shrinks is antialiased, its triangle filter as wide as the step between output pixels
// (antialias = true there, and Pillow's BILINEAR). Values stay in 0 ... 255 and are not rounded.
// `out` receives channels x height x width floats, plane after plane.
void resize_bilinear(const ImageView& image, Index height, Index width, std::span<float> out);

}  // namespace assay
