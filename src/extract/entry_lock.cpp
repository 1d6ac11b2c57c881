#include "extract/entry_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "assay/error.h"

namespace assay {
namespace {

// The file may have been removed, and even made anew, while we waited for the old one.
bool still_there(int descriptor, const std::filesystem::path& path) {
  struct stat mine {};
  struct stat named {};
  return ::fstat(descriptor, &mine) == 0 && ::stat(path.c_str(), &named) == 0 &&
         mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

// Two runs that both think they hold it would delete what the other one is writing.
[[noreturn]] void fail_without_locks(const std::filesystem::path& path, int reason) {
  throw Error(
      ErrorCode::io,
      fmt::format("{}: cannot be locked: {}; the cache needs a disk with file locks, name a "
                  "folder there by ASSAY_CACHE",
                  path.string(), std::generic_category().message(reason)));
}

// -1 when somebody holds the lock and we do not wait.
int lock(const std::filesystem::path& path, int mode) {
  while (true) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) fail_system(path.string(), "create");
    int status = 0;
    do {
      status = ::flock(descriptor, mode);
    } while (status != 0 && errno == EINTR);
    const int reason = status == 0 ? 0 : errno;
    if (reason == 0 && still_there(descriptor, path)) return descriptor;
    ::close(descriptor);
    if (reason == EWOULDBLOCK) return -1;
    if (reason != 0) fail_without_locks(path, reason);
  }
}

}  // namespace

FileLock FileLock::wait(const std::filesystem::path& path) { return FileLock(lock(path, LOCK_EX)); }

std::optional<FileLock> FileLock::attempt(const std::filesystem::path& path) {
  const int descriptor = lock(path, LOCK_EX | LOCK_NB);
  if (descriptor < 0) return std::nullopt;
  return FileLock(descriptor);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace assay
