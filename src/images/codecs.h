#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "assay/images.h"

// One function per library; each throws Error naming `where`.
namespace assay {

Image decode_jpeg(std::span<const std::byte> bytes, const std::string& where);
Image decode_png(std::span<const std::byte> bytes, const std::string& where);
Image decode_webp(std::span<const std::byte> bytes, const std::string& where);

// What a header says, and how much decoding it takes.
struct PictureSize {
  Index height = 0;
  Index width = 0;
  Index bytes_per_pixel = 3;  // the result and what the decoder holds beside it
};

// An image of this size with its pixels allocated. Headers lie: a size that no picture has, that
// `most_pixels` (what a file of its length can hold) does not reach or that the memory limit
// forbids is refused before memory is asked for.
Image empty_image(const PictureSize& size, Index most_pixels, const std::string& where);

}  // namespace assay
