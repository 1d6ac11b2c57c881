#include "parts/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "assay/error.h"

namespace assay {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoLetter = 64;

std::array<std::uint8_t, 256> letter_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoLetter);
  for (std::size_t i = 0; i < kLetters.size(); ++i)
    values[static_cast<unsigned char>(kLetters[i])] = static_cast<std::uint8_t>(i);
  return values;
}

}  // namespace

std::string base64_of(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8U | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text +=
          i <= count ? kLetters[group >> (18U - 6U * static_cast<std::uint32_t>(i)) & 63U] : '=';
  }
  return text;
}

std::string bytes_of_base64(std::string_view text) {
  static const std::array<std::uint8_t, 256> values = letter_values();
  if (text.size() % 4 != 0) fail_input("the bytes of a result are damaged");
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    const std::size_t padding = !last || text[at + 3] != '=' ? 0 : text[at + 2] == '=' ? 2 : 1;
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint8_t value =
          i >= 4 - padding ? std::uint8_t{0} : values[static_cast<unsigned char>(text[at + i])];
      if (value == kNoLetter) fail_input("the bytes of a result are damaged");
      group = group << 6U | value;
    }
    for (std::size_t i = 0; i < 3 - padding; ++i)
      bytes += static_cast<char>(group >> (16U - 8U * static_cast<std::uint32_t>(i)) & 255U);
  }
  return bytes;
}

}  // namespace assay
