#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/types.h"

namespace assay {

// Results as bytes and back, bit for bit: numbers as they lie in memory (little-endian), lists
// with their length before them. A struct says once what it is made of:
//
//     template <class Archive> void fields(Archive& archive, Comparison& value) {
//       auto& [difference, standard_error, separated] = value;
//       archive(difference, standard_error, separated);
//     }
//
// The structured binding fails to compile when somebody adds a member and forgets this place.
// Packer and Unpacker take the same calls, so that what is written is what is read.

template <class Value>
concept PlainValue = std::is_arithmetic_v<Value> || std::is_enum_v<Value>;

class Packer {
 public:
  static constexpr bool kReading = false;

  template <class... Values>
  void operator()(Values&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void put_bytes(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  void put_size(std::size_t size) {
    const auto count = static_cast<std::uint64_t>(size);
    put_bytes(&count, sizeof count);
  }
  template <class Value>
  void put(Value& value) {
    if constexpr (PlainValue<Value>) {
      put_bytes(&value, sizeof value);
    } else {
      fields(*this, value);
    }
  }
  void put(std::string& text) {
    put_size(text.size());
    put_bytes(text.data(), text.size());
  }
  void put(std::filesystem::path& path) {
    std::string text = path.string();
    put(text);
  }
  template <class Value>
  void put(std::vector<Value>& list) {
    put_size(list.size());
    if constexpr (PlainValue<Value>) {
      put_bytes(list.data(), list.size() * sizeof(Value));
    } else {
      for (Value& value : list) put(value);
    }
  }
  template <class Value>
  void put(std::optional<Value>& maybe) {
    put_size(maybe ? 1 : 0);
    if (maybe) put(*maybe);
  }
  template <class First, class Second>
  void put(std::pair<First, Second>& both) {
    put(both.first);
    put(both.second);
  }
  template <class Value, std::size_t size>
  void put(std::array<Value, size>& list) {
    for (Value& value : list) put(value);
  }
  void put(Matrix& values) {
    put_size(static_cast<std::size_t>(values.rows()));
    put_size(static_cast<std::size_t>(values.cols()));
    put_bytes(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
  }
  void put(Vector& values) {
    put_size(static_cast<std::size_t>(values.size()));
    put_bytes(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
  }

  std::string bytes_;
};

// Throws Error where the bytes end too early; lengths are checked before anything is allocated.
class Unpacker {
 public:
  static constexpr bool kReading = true;

  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  [[noreturn]] static void fail() { fail_input("the bytes of a result are damaged"); }

  void get_bytes(void* out, std::size_t size) {
    if (size > bytes_.size()) fail();
    if (size > 0) std::memcpy(out, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  // Of things that take at least `least` bytes each.
  std::size_t get_size(std::size_t least) {
    std::uint64_t count = 0;
    get_bytes(&count, sizeof count);
    if (count > bytes_.size() / least) fail();
    return static_cast<std::size_t>(count);
  }
  template <class Value>
  void get(Value& value) {
    if constexpr (PlainValue<Value>) {
      get_bytes(&value, sizeof value);
    } else {
      fields(*this, value);
    }
  }
  void get(bool& value) {
    unsigned char byte = 0;
    get_bytes(&byte, 1);
    if (byte > 1) fail();
    value = byte == 1;
  }
  void get(std::string& text) {
    text.resize(get_size(1));
    get_bytes(text.data(), text.size());
  }
  void get(std::filesystem::path& path) {
    std::string text;
    get(text);
    path = std::move(text);
  }
  template <class Value>
  void get(std::vector<Value>& list) {
    if constexpr (PlainValue<Value>) {
      list.resize(get_size(sizeof(Value)));
      get_bytes(list.data(), list.size() * sizeof(Value));
    } else {
      list.assign(get_size(1), Value{});
      for (Value& value : list) get(value);
    }
  }
  template <class Value>
  void get(std::optional<Value>& maybe) {
    std::uint64_t there = 0;
    get_bytes(&there, sizeof there);
    if (there > 1) fail();
    maybe.reset();
    if (there == 1) get(maybe.emplace());
  }
  template <class First, class Second>
  void get(std::pair<First, Second>& both) {
    get(both.first);
    get(both.second);
  }
  template <class Value, std::size_t size>
  void get(std::array<Value, size>& list) {
    for (Value& value : list) get(value);
  }
  void get(Matrix& values) {
    const auto most = bytes_.size();
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    get_bytes(&rows, sizeof rows);
    get_bytes(&cols, sizeof cols);
    if (rows > most || cols > most || (cols > 0 && rows > bytes_.size() / sizeof(double) / cols))
      fail();
    values.resize(static_cast<Index>(rows), static_cast<Index>(cols));
    get_bytes(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
  }
  void get(Vector& values) {
    values.resize(static_cast<Index>(get_size(sizeof(double))));
    get_bytes(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
  }

  std::string_view bytes_;
};

template <class Archive>
void fields(Archive& archive, FileDigest& value) {
  auto& [file, digest] = value;
  archive(file, digest);
}

template <class Value>
std::string packed(Value& value) {
  Packer packer;
  packer(value);
  return packer.take();
}

template <class Value>
Value unpacked(std::string_view bytes) {
  Value value{};
  Unpacker unpacker(bytes);
  unpacker(value);
  if (!unpacker.at_end()) fail_input("the bytes of a result are damaged");
  return value;
}

// Digest of a value, "xxh128:...".
template <class Value>
std::string digest_of(Value& value) {
  const std::string bytes = packed(value);
  Digest digest;
  digest.update(std::as_bytes(std::span(bytes)));
  return digest.hex();
}

}  // namespace assay
