#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/types.h"

// How the worker that reads an HDF5 file and the process that asks it talk; private to src/io.
namespace assay::hdf5 {

constexpr int kFileDescriptor = 3;    // of the worker: the file
constexpr int kSocketDescriptor = 4;  // and the other end of the line

enum class Question : std::uint32_t { names, shape, read, rows };

struct Request {
  Question question = Question::names;
  std::uint32_t name_size = 0;  // the name follows
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t cols = 0;
  std::uint32_t as = 0;
  std::uint32_t unused = 0;
};

struct Answer {
  std::uint32_t failed = 0;  // 1: the bytes that follow are the message of an Error
  std::uint32_t code = 0;    // its ErrorCode
  std::uint64_t size = 0;    // of what follows
};

// Both false when the other side is gone.
bool send_bytes(int socket, const void* data, std::size_t size);
bool receive_bytes(int socket, void* data, std::size_t size);

// Numbers and texts, one after another.
class Packer {
 public:
  void number(std::int64_t value);
  void text(std::string_view value);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// What comes from the worker may be anything: each throws Error when it is not there.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  std::int64_t number();
  std::string text();
  std::string_view rest() const { return rest_; }

 private:
  std::string_view take(std::size_t size);
  std::string_view rest_;
};

}  // namespace assay::hdf5
