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

// An image of this size with its pixels allocated. Headers lie: a size that no picture has is
// refused before memory is asked for.
Image empty_image(Index height, Index width, const std::string& where);

}  // namespace assay
