#include "io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include "assay/error.h"

namespace assay {

namespace {

namespace fs = std::filesystem;

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    constexpr std::size_t at_once = std::size_t{1} << 30;  // Linux writes at most 2 GiB in one go
    const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), at_once));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_parts(int descriptor, std::span<const std::string_view> parts) {
  return std::ranges::all_of(parts,
                             [&](std::string_view part) { return write_all(descriptor, part); });
}

bool close_after(int descriptor, bool succeeded) {
  const int reason = errno;
  const bool closed = ::close(descriptor) == 0;
  if (!succeeded) errno = reason;
  return succeeded && closed;
}

// A terminal, a pipe, /dev/null: nothing to replace, so the bytes simply go there.
void write_through(const fs::path& path, std::span<const std::string_view> parts) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0 || !close_after(descriptor, write_parts(descriptor, parts)))
    fail_system(path.string(), "write");
}

struct Temporary {
  int descriptor = -1;
  std::string name;
};

// As mkstemp() does, but with the permissions the user's mask leaves, not 0600.
Temporary make_temporary(const fs::path& target) {
  constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  constexpr int tries = 1000;
  static std::atomic<std::uint64_t> counter{0};
  const auto clock = std::chrono::steady_clock::now().time_since_epoch().count();
  std::uint64_t state = static_cast<std::uint64_t>(clock) ^ static_cast<std::uint64_t>(::getpid())
                                                                << 40;
  for (int i = 0; i < tries; ++i) {
    state = (state + ++counter) * 0x9E3779B97F4A7C15U;
    std::string name = target.string() + ".";
    for (int k = 0; k < 6; ++k) name.push_back(letters[(state >> (8 + 9 * k)) % letters.size()]);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {descriptor, std::move(name)};
    if (errno != EEXIST) break;
  }
  return {};
}

// A file that was private stays private, one that was shared stays shared.
void keep_mode(int descriptor, const fs::path& target) {
  constexpr mode_t permissions = 07777;
  struct stat old {};
  struct stat made {};
  if (::stat(target.c_str(), &old) != 0 || ::fstat(descriptor, &made) != 0) return;
  if ((old.st_mode & permissions) == (made.st_mode & permissions)) return;
  static_cast<void>(::fchmod(descriptor, old.st_mode & permissions));  // some disks have no modes
}

// Without this a crash of the machine could leave the new name and no bytes behind it.
bool reached_disk(int descriptor) {
  return ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;
}

void sync_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder we may write to but not list
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

void write_file_atomically(const fs::path& path, std::initializer_list<std::string_view> parts) {
  write_file_atomically(path, std::span(parts.begin(), parts.size()));
}

void write_file_atomically(const fs::path& path, std::span<const std::string_view> parts) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) {
    fail_input(fmt::format("{}: is a directory; name a file in it", path.string()));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    write_through(path, parts);
    return;
  }
  // Through a symbolic link the file it points to is replaced, not the link.
  const bool linked = fs::is_symlink(fs::symlink_status(path, ignored));
  const fs::path target = linked ? fs::weakly_canonical(path, ignored) : path;
  if (target.empty())
    fail_input(fmt::format("{}: a symbolic link that leads nowhere", path.string()));
  const Temporary temporary = make_temporary(target);
  if (temporary.descriptor < 0) fail_system(path.string(), "write beside");
  keep_mode(temporary.descriptor, target);
  const bool written = close_after(temporary.descriptor, write_parts(temporary.descriptor, parts) &&
                                                             reached_disk(temporary.descriptor));
  if (!written || std::rename(temporary.name.c_str(), target.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.name.c_str());
    errno = reason;
    fail_system(path.string(), "write");
  }
  sync_folder(target);
}

}  // namespace assay
