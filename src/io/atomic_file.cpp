#include "io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>

#include "assay/error.h"

namespace assay {

namespace {

bool write_parts(int descriptor, std::span<const std::string_view> parts) {
  std::FILE* file = ::fdopen(descriptor, "wb");
  if (file == nullptr) return false;
  bool written = true;
  for (const std::string_view part : parts) {
    written = written && std::fwrite(part.data(), 1, part.size(), file) == part.size();
  }
  return std::fclose(file) == 0 && written;
}

// A terminal, a pipe, /dev/null: nothing to replace, so the bytes simply go there.
void write_through(const std::filesystem::path& path, std::span<const std::string_view> parts) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0 || !write_parts(descriptor, parts)) fail_system(path.string(), "write");
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path,
                           std::initializer_list<std::string_view> parts) {
  write_file_atomically(path, std::span(parts.begin(), parts.size()));
}

void write_file_atomically(const std::filesystem::path& path,
                           std::span<const std::string_view> parts) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    fail_input(fmt::format("{}: is a directory; name a file in it", path.string()));
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    write_through(path, parts);
    return;
  }
  // Through a symbolic link the file it points to is replaced, not the link.
  const bool linked = std::filesystem::is_symlink(std::filesystem::symlink_status(path, ignored));
  const std::filesystem::path target = linked ? std::filesystem::weakly_canonical(path) : path;
  std::string temporary = fmt::format("{}.XXXXXX", target.string());
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) fail_system(path.string(), "write beside");
  const bool written = ::fchmod(descriptor, 0644) == 0 && write_parts(descriptor, parts);
  if (!written || std::rename(temporary.c_str(), target.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    errno = reason;
    fail_system(path.string(), "write");
  }
}

}  // namespace assay
