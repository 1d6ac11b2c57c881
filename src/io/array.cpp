#include "assay/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include "io/half.h"

namespace assay {
namespace {

template <typename T>
T load(const Array& array, Index i) {
  T value;
  std::memcpy(&value, array.bytes.data() + i * static_cast<Index>(sizeof(T)), sizeof(T));
  return value;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t bits) { text.push_back(static_cast<char>(bits)); };
  if (code > 0x10FFFF) code = 0xFFFD;  // not a character: show the replacement mark
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

}  // namespace

bool is_floating(ElementType type) { return type <= ElementType::f64; }
bool is_text(ElementType type) { return type == ElementType::ucs4 || type == ElementType::bytes; }
bool is_integer(ElementType type) { return !is_floating(type) && !is_text(type); }

std::string_view element_name(ElementType type) {
  constexpr std::array<std::string_view, 14> names = {
      "float16", "float32", "float64", "int8",   "int16", "int32",        "int64",
      "uint8",   "uint16",  "uint32",  "uint64", "bool",  "unicode text", "byte text"};
  return names[static_cast<std::size_t>(type)];
}

Index Array::size() const {
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  return count;
}

std::string shape_text(const std::vector<Index>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

Index checked_byte_size(Index item_size, const std::vector<Index>& shape) {
  Index total = item_size;
  for (const Index extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(total, extent, &total)) return -1;
  }
  return total;
}

std::int64_t integer_at(const Array& array, Index i) {
  switch (array.type) {
    case ElementType::i8:
      return load<std::int8_t>(array, i);
    case ElementType::i16:
      return load<std::int16_t>(array, i);
    case ElementType::i32:
      return load<std::int32_t>(array, i);
    case ElementType::i64:
      return load<std::int64_t>(array, i);
    case ElementType::boolean:
    case ElementType::u8:
      return load<std::uint8_t>(array, i);
    case ElementType::u16:
      return load<std::uint16_t>(array, i);
    case ElementType::u32:
      return load<std::uint32_t>(array, i);
    case ElementType::u64:
      return static_cast<std::int64_t>(load<std::uint64_t>(array, i));
    default:
      break;
  }
  assert(false && "integer_at on an array that holds no integers");
  return 0;
}

double number_at(const Array& array, Index i) {
  switch (array.type) {
    case ElementType::f16:
      return half_to_float(load<std::uint16_t>(array, i));
    case ElementType::f32:
      return load<float>(array, i);
    case ElementType::f64:
      return load<double>(array, i);
    default:
      return static_cast<double>(integer_at(array, i));
  }
}

std::string text_at(const Array& array, Index i) {
  assert(is_text(array.type));
  const std::byte* start = array.bytes.data() + i * array.item_size;
  std::string text;
  if (array.type == ElementType::bytes) {
    text.assign(reinterpret_cast<const char*>(start), static_cast<std::size_t>(array.item_size));
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
  }
  Index used = array.item_size / 4;
  const auto code_at = [&](Index position) {
    std::uint32_t code = 0;
    std::memcpy(&code, start + position * 4, 4);
    return code;
  };
  while (used > 0 && code_at(used - 1) == 0) --used;
  for (Index position = 0; position < used; ++position) append_utf8(text, code_at(position));
  return text;
}

}  // namespace assay
