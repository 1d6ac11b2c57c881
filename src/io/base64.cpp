#include "io/base64.h"

#include <array>
#include <cstdint>

namespace assay {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kPadding = '=';
constexpr std::uint8_t kNone = 255;

constexpr std::array<std::uint8_t, 256> values_of_letters() {
  std::array<std::uint8_t, 256> values{};
  for (std::uint8_t& value : values) value = kNone;
  for (std::size_t i = 0; i < kLetters.size(); ++i)
    values[static_cast<unsigned char>(kLetters[i])] = static_cast<std::uint8_t>(i);
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = values_of_letters();

}  // namespace

std::string to_base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three =
          three << 8U | (i + k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? kLetters[three >> (18U - 6U * k) & 63U] : kPadding;
  }
  return text;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == kPadding)
    ++padding;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t three = 0;
    for (std::size_t k = i; k < i + 4; ++k) {
      const bool padded = k >= text.size() - padding;
      const std::uint8_t value = padded ? 0 : kValues[static_cast<unsigned char>(text[k])];
      if (value == kNone) return std::nullopt;
      three = three << 6U | value;
    }
    for (const std::uint32_t shift : {16U, 8U, 0U})
      bytes.push_back(static_cast<std::byte>(three >> shift & 255U));
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace assay
