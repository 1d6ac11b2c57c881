#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace assay {

// A running 128-bit xxHash of bytes: fast enough to ride along with a pass over
// the data. Names contents in provenance; no protection against forgery.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;

  void update(std::span<const std::byte> bytes);
  std::string hex() const;  // "xxh128:0123..."

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct FileDigest {
  std::filesystem::path file;
  std::string digest;  // "xxh128:..."
};

// Digest of a whole file, read by mapping.
std::string file_digest(const std::filesystem::path& path);

}  // namespace assay
