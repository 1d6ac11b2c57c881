#include <fmt/format.h>
#include <webp/decode.h>

#include <limits>

#include "assay/error.h"
#include "images/codecs.h"

namespace assay {

Image decode_webp(std::span<const std::byte> bytes, const std::string& where) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK)
    fail_input(fmt::format("{}: not a readable WebP; it may be cut short or damaged", where));
  if (features.has_animation != 0)
    fail_input(fmt::format("{}: an animated WebP; save one picture of it", where));
  // Pixels of one colour take no bits in a lossless WebP, so the file's length says nothing.
  constexpr Index any_number = std::numeric_limits<Index>::max();
  constexpr Index lossless_decoder = 4;  // bytes that it holds for every pixel
  Image image =
      empty_image({features.height, features.width, 3 + lossless_decoder}, any_number, where);
  if (WebPDecodeRGBInto(data, bytes.size(), image.pixels.data(), image.pixels.size(),
                        3 * features.width) == nullptr) {
    fail_input(fmt::format("{}: not a readable WebP; it may be cut short or damaged", where));
  }
  return image;
}

}  // namespace assay
