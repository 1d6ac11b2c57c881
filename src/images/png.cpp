#include <fmt/format.h>
#include <png.h>

#include "assay/error.h"
#include "images/codecs.h"

namespace assay {
namespace {

struct Reader {
  png_image header{};
  Reader() { header.version = PNG_IMAGE_VERSION; }
  ~Reader() { png_image_free(&header); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  Reader(Reader&&) = delete;
  Reader& operator=(Reader&&) = delete;
};

[[noreturn]] void fail(const Reader& reader, const std::string& where) {
  fail_input(fmt::format("{}: not a readable PNG ({}); it may be cut short or damaged", where,
                         static_cast<const char*>(reader.header.message)));
}

}  // namespace

Image decode_png(std::span<const std::byte> bytes, const std::string& where) {
  Reader reader;
  if (png_image_begin_read_from_memory(&reader.header, bytes.data(), bytes.size()) == 0)
    fail(reader, where);
  // Without this 16-bit values would be taken for linear light.
  reader.header.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  const bool alpha = (reader.header.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  // Deflate gains a factor of 1032 at most, and a pixel takes a bit at least.
  constexpr Index most_pixels_per_byte = Index{8} * 1032;
  Image image = empty_image({reader.header.height, reader.header.width, alpha ? 7 : 3},
                            most_pixels_per_byte * static_cast<Index>(bytes.size()), where);
  reader.header.format = alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  if (!alpha) {
    if (png_image_finish_read(&reader.header, nullptr, image.pixels.data(), 0, nullptr) == 0)
      fail(reader, where);
    return image;
  }
  std::vector<std::uint8_t> with_alpha(image.pixels.size() / 3 * 4);
  if (png_image_finish_read(&reader.header, nullptr, with_alpha.data(), 0, nullptr) == 0)
    fail(reader, where);
  for (std::size_t i = 0; i < with_alpha.size() / 4; ++i) {
    for (std::size_t c = 0; c < 3; ++c) image.pixels[3 * i + c] = with_alpha[4 * i + c];
  }
  return image;
}

}  // namespace assay
