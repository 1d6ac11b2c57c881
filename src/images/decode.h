#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "assay/images.h"

namespace assay {

// A JPEG, PNG or WebP picture as red, green and blue bytes; told apart by its first bytes, whatever
// the file is called. As Pillow's convert("RGB") and torchvision have it: grey is replicated, an
// alpha channel is dropped (not composited), the EXIF orientation is ignored. 16-bit PNGs are
// reduced to 8 bits, CMYK JPEGs converted without a colour profile. Throws Error naming `where`
// for anything else: other formats, animations, cut or damaged files, more than 2^27 pixels.
Image decode_image(std::span<const std::byte> bytes, const std::string& where);

// The same for a file.
Image read_image(const std::filesystem::path& path);

// True for .jpg, .jpeg, .png and .webp in any case; the file is not looked at.
bool is_image_file(const std::filesystem::path& path);

}  // namespace assay
