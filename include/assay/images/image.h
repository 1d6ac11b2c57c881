#pragma once

#include <cstdint>
#include <vector>

#include "assay/core/types.h"

namespace assay {

// Pixels that somebody else keeps: `channels` (1 or 3) bytes per pixel, row after row, rows
// `stride` bytes apart. A crop is a view with other numbers.
struct ImageView {
  const std::uint8_t* pixels = nullptr;
  Index height = 0;
  Index width = 0;
  Index channels = 3;
  Index stride = 0;

  ImageView crop(Index top, Index left, Index crop_height, Index crop_width) const {
    return {pixels + top * stride + left * channels, crop_height, crop_width, channels, stride};
  }
};

// A decoded picture: red, green and blue bytes, row after row.
struct Image {
  Index height = 0;
  Index width = 0;
  std::vector<std::uint8_t> pixels;  // height * width * 3

  ImageView view() const { return {pixels.data(), height, width, 3, 3 * width}; }
};

}  // namespace assay
