#include "images/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "assay/error.h"
#include "core/memory.h"
#include "images/codecs.h"
#include "io/mapped_file.h"

namespace assay {

Image empty_image(const PictureSize& size, Index most_pixels, const std::string& where) {
  constexpr Index largest = Index{1} << 27;
  if (size.height <= 0 || size.width <= 0) {
    fail_input(fmt::format("{}: an image of {} x {} pixels; the file is damaged", where, size.width,
                           size.height));
  }
  if (size.height > largest / size.width) {
    throw Error(ErrorCode::too_large,
                fmt::format("{}: {} x {} pixels are more than an image may have (2^27); resize it",
                            where, size.width, size.height));
  }
  const Index pixels = size.height * size.width;
  if (pixels > most_pixels) {
    fail_input(fmt::format(
        "{}: claims {} x {} pixels, more than a file of its length can hold; it is damaged", where,
        size.width, size.height));
  }
  require_readable(pixels * size.bytes_per_pixel, where, "when decoded");
  return {size.height, size.width, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * pixels))};
}

Image decode_image(std::span<const std::byte> bytes, const std::string& where) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) fail_input(fmt::format("{}: the file is empty", where));
  if (text.starts_with("\xFF\xD8")) return decode_jpeg(bytes, where);
  if (text.starts_with("\x89PNG")) return decode_png(bytes, where);
  if (text.starts_with("RIFF") && text.size() >= 12 && text.substr(8, 4) == "WEBP")
    return decode_webp(bytes, where);
  fail_input(fmt::format(
      "{}: not an image (its first bytes are not those of JPEG, PNG or WebP); remove or convert it",
      where));
}

Image read_image(const std::filesystem::path& path) {
  return decode_image(MappedFile::open(path)->bytes(), path.string());
}

bool is_image_file(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 4> known = {".jpg", ".jpeg", ".png", ".webp"};
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(known.begin(), known.end(), extension) != known.end();
}

}  // namespace assay
