#include <fmt/format.h>
#include <turbojpeg.h>

#include <memory>
#include <string_view>
#include <type_traits>

#include "assay/error.h"
#include "images/codecs.h"

namespace assay {
namespace {

struct Destroy {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using Decoder = std::unique_ptr<std::remove_pointer_t<tjhandle>, Destroy>;

// The library warns of what it filled in by itself. Bytes between two markers hurt nobody and are
// common; a picture that ends early is grey below and would pass as data.
void check(int status, const Decoder& decoder, const std::string& where) {
  if (status == 0) return;
  const std::string_view reason = tjGetErrorStr2(decoder.get());
  const bool harmless = tjGetErrorCode(decoder.get()) == TJERR_WARNING &&
                        reason.find("extraneous") != std::string_view::npos;
  if (harmless) return;
  fail_input(
      fmt::format("{}: not a readable JPEG ({}); it may be cut short or damaged", where, reason));
}

// Adobe's programs store the inks inverted, so that 255 is no ink: r = c k / 255.
void rgb_of_inks(const std::vector<std::uint8_t>& inks, Image& image) {
  for (std::size_t i = 0; i < inks.size() / 4; ++i) {
    const int black = inks[4 * i + 3];
    for (std::size_t c = 0; c < 3; ++c)
      image.pixels[3 * i + c] = static_cast<std::uint8_t>((inks[4 * i + c] * black + 127) / 255);
  }
}

}  // namespace

Image decode_jpeg(std::span<const std::byte> bytes, const std::string& where) {
  const Decoder decoder(tjInitDecompress());
  if (!decoder) throw Error(ErrorCode::io, fmt::format("{}: no JPEG decoder to be had", where));
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0;
  int height = 0;
  int sampling = 0;
  int space = 0;
  check(tjDecompressHeader3(decoder.get(), data, bytes.size(), &width, &height, &sampling, &space),
        decoder, where);
  Image image = empty_image(height, width, where);
  if (space != TJCS_CMYK && space != TJCS_YCCK) {
    check(tjDecompress2(decoder.get(), data, bytes.size(), image.pixels.data(), width, 0, height,
                        TJPF_RGB, 0),
          decoder, where);
    return image;
  }
  std::vector<std::uint8_t> inks(image.pixels.size() / 3 * 4);
  check(
      tjDecompress2(decoder.get(), data, bytes.size(), inks.data(), width, 0, height, TJPF_CMYK, 0),
      decoder, where);
  rgb_of_inks(inks, image);
  return image;
}

}  // namespace assay
