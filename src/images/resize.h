#pragma once

#include <span>

#include "assay/images.h"
#include "assay/network.h"

namespace assay {

// A whole image resized to height x width, of which the rows x cols at (top, left) are wanted.
struct ResizeTo {
  Index height = 0, width = 0;
  Index top = 0, left = 0;
  Index rows = 0, cols = 0;

  static ResizeTo all(Index height, Index width) { return {height, width, 0, 0, height, width}; }
};

// Bilinear with half-pixel centres (PyTorch's align_corners = false), per axis; an axis that
// shrinks is antialiased, its triangle filter as wide as the step between output pixels
// (antialias = true there, and Pillow's BILINEAR). Bicubic is the same with Keys' cubic of a = -1/2
// (Pillow's BICUBIC), and what it overshoots is cut off. Values stay in 0 ... 255 and are not
// rounded. `out` receives channels x rows x cols floats, plane after plane.
void resize(const ImageView& image, const ResizeTo& to, Interpolation interpolation,
            std::span<float> out);

}  // namespace assay
