#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/types.h"

namespace assay {

class MappedFile;

// Element types that files may hold, all little-endian.
enum class ElementType {
  f16,
  f32,
  f64,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  boolean,
  ucs4,   // fixed-width text, four bytes per character (NumPy 'U')
  bytes,  // fixed-width text, one byte per character (NumPy 'S')
};

bool is_floating(ElementType type);
bool is_text(ElementType type);
bool is_integer(ElementType type);                // boolean included
std::string_view element_name(ElementType type);  // "float32"

// An n-dimensional array as a file holds it: the one thing every format reader
// yields. The bytes lie in a mapped file or in memory of their own; copies share them.
struct Array {
  ElementType type = ElementType::f64;
  Index item_size = 8;  // bytes per element
  std::vector<Index> shape;
  bool fortran_order = false;
  std::span<const std::byte> bytes;                      // exactly item_size * product(shape)
  std::string where;                                     // "digits.npz:features", for messages
  std::shared_ptr<const MappedFile> mapping;             // set when the bytes are mapped
  std::shared_ptr<const std::vector<std::byte>> buffer;  // set when they are owned

  Index rank() const { return static_cast<Index>(shape.size()); }
  Index size() const;  // number of elements
};

// "(1000, 64)", as NumPy prints it.
std::string shape_text(const std::vector<Index>& shape);

// item_size * product(shape), or -1 when that overflows or a dimension is negative:
// a lying header must not become a small allocation.
Index checked_byte_size(Index item_size, const std::vector<Index>& shape);

// Element i of an integer, boolean or floating array, in storage order.
std::int64_t integer_at(const Array& array, Index i);
double number_at(const Array& array, Index i);
std::string text_at(const Array& array, Index i);  // UTF-8, padding removed

}  // namespace assay
