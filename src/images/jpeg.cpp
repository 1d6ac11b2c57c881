#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>
#include <string>
#include <utility>
// After <cstdio>: it uses FILE without including it.
#include <jerror.h>
#include <jpeglib.h>

#include "assay/error.h"
#include "images/codecs.h"

namespace assay {
namespace {

// libjpeg reports through callbacks and leaves a failed call by longjmp, past frames of C only:
// no object with a destructor lives between setjmp and the library's calls.
struct JpegErrors {
  jpeg_error_mgr manager;  // first: the library hands back a pointer to it
  std::jmp_buf failed;
  char reason[JMSG_LENGTH_MAX];
};

[[noreturn]] void give_up(j_common_ptr info) {
  auto* const errors = reinterpret_cast<JpegErrors*>(info->err);
  errors->manager.format_message(info, errors->reason);
  std::longjmp(errors->failed, 1);
}

// Every warning is judged, not only the first. Bytes between two markers and an unknown minor
// version hurt nobody and are common; all others mean that the library filled in pixels by itself,
// which would pass as data.
void judge(j_common_ptr info, int level) {
  if (level >= 0) return;  // traces
  const int code = info->err->msg_code;
  if (code != JWRN_EXTRANEOUS_DATA && code != JWRN_JFIF_MAJOR) give_up(info);
}

class JpegDecoder {
 public:
  explicit JpegDecoder(std::span<const std::byte> bytes) : bytes_(bytes) {
    info_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = give_up;
    errors_.manager.emit_message = judge;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&info_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  JpegDecoder(JpegDecoder&&) = delete;
  JpegDecoder& operator=(JpegDecoder&&) = delete;

  // Each returns false when the library gave up; reason() then says why.
  bool read_header() {
    if (setjmp(errors_.failed) != 0) return false;
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size());
    jpeg_read_header(&info_, TRUE);
    inks_ = info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
    info_.out_color_space = inks_ ? JCS_CMYK : JCS_RGB;
    return true;
  }

  // Rows of `stride` bytes; `row` holds one row of inks.
  bool read_pixels(std::uint8_t* pixels, std::size_t stride, std::uint8_t* row) {
    if (setjmp(errors_.failed) != 0) return false;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      std::uint8_t* const out = pixels + info_.output_scanline * stride;
      JSAMPROW line = inks_ ? row : out;
      jpeg_read_scanlines(&info_, &line, 1);
      if (inks_) rgb_of_inks(row, out);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  const char* reason() const { return errors_.reason; }
  bool inks() const { return inks_; }
  Index width() const { return info_.image_width; }
  Index height() const { return info_.image_height; }

  // Pictures that come in several scans are kept as coefficients, two bytes each, until the last.
  Index coefficient_bytes_per_pixel() const {
    return info_.progressive_mode != 0 || info_.comps_in_scan < info_.num_components
               ? 2 * info_.num_components
               : 0;
  }

 private:
  // Adobe's programs store the inks inverted, so that 255 is no ink: r = c k / 255.
  void rgb_of_inks(const std::uint8_t* inks, std::uint8_t* out) const {
    for (std::size_t i = 0; i < info_.output_width; ++i) {
      const int black = inks[4 * i + 3];
      for (std::size_t c = 0; c < 3; ++c)
        out[3 * i + c] = static_cast<std::uint8_t>((inks[4 * i + c] * black + 127) / 255);
    }
  }

  std::span<const std::byte> bytes_;
  jpeg_decompress_struct info_{};
  JpegErrors errors_{};
  bool inks_ = false;
};

[[noreturn]] void fail_jpeg(const JpegDecoder& decoder, const std::string& where) {
  fail_input(fmt::format("{}: not a readable JPEG ({}); it may be cut short or damaged", where,
                         decoder.reason()));
}

}  // namespace

Image decode_jpeg(std::span<const std::byte> bytes, const std::string& where) {
  JpegDecoder decoder(bytes);
  if (!decoder.read_header()) fail_jpeg(decoder, where);
  // Huffman codes take a bit at least, and a block of one colour covers 32 x 32 pixels at most.
  constexpr Index most_pixels_per_byte = Index{8} * 32 * 32;
  Image image =
      empty_image({decoder.height(), decoder.width(), 3 + decoder.coefficient_bytes_per_pixel()},
                  most_pixels_per_byte * static_cast<Index>(bytes.size()), where);
  std::vector<std::uint8_t> row(decoder.inks() ? static_cast<std::size_t>(4 * image.width) : 0);
  const auto stride = static_cast<std::size_t>(3 * image.width);
  if (!decoder.read_pixels(image.pixels.data(), stride, row.data())) fail_jpeg(decoder, where);
  return image;
}

}  // namespace assay
