#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "assay/types.h"

namespace assay {

struct WatchedMapping;

// Bytes of a file that another library is going to read. Throws Error as MappedFile::open() does.
Index regular_file_size(const std::filesystem::path& path);

// A whole file, read-only, mapped: bytes arrive when touched, so opening a file larger than memory
// costs nothing.
//
// A file that is cut short by somebody else while it is mapped would end the program with SIGBUS.
// Programs of our own turn that into a message (guard_mapped_files, io/bus_guard.h). Inside other
// programs, which keep their own signals, files below 16 MiB are read instead of mapped, and
// require_whole() tells of larger ones.
class MappedFile {
 public:
  // Throws Error when the file cannot be opened or is not a regular file. Never waits: a pipe
  // without a writer is refused like one with.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile(MappedFile&&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

  // Throws Error when the file is shorter than when it was opened, unless the guard of this
  // program would notice. To be called before bytes of a large file are touched.
  void require_whole() const;

  // Gives the pages that lie wholly inside `part` back to the system: a
  // streaming pass stays small however large the file is.
  void release(std::span<const std::byte> part) const;

 private:
  MappedFile() = default;

  std::span<const std::byte> bytes_;
  std::string path_;
  WatchedMapping* watched_ = nullptr;  // none: a copy in memory of our own
  unsigned long device_ = 0;
  unsigned long inode_ = 0;
};

}  // namespace assay
