#pragma once

#include <filesystem>
#include <optional>

namespace assay {

// One process at a time: a lock on a file, which the system lifts when the process ends, however
// it ends. Where locks cannot be had (some network disks) both throw Error: whoever holds the lock
// deletes what it takes for leftovers.
class FileLock {
 public:
  // Waits until the lock is free; creates the file.
  static FileLock wait(const std::filesystem::path& path);
  // Nothing when somebody holds it.
  static std::optional<FileLock> attempt(const std::filesystem::path& path);

  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace assay
