#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace assay {

// A whole file mapped read-only. Bytes arrive when touched, so opening a file
// larger than memory costs nothing.
class MappedFile {
 public:
  // Throws Error when the file cannot be opened or is not a regular file.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile(MappedFile&&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  // Gives the pages that lie wholly inside `part` back to the system: a
  // streaming pass stays small however large the file is.
  void release(std::span<const std::byte> part) const;

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

}  // namespace assay
