#include "assay/io/atomic_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "assay/core/error.h"

namespace assay {

void write_file_atomically(const std::filesystem::path& path,
                           std::initializer_list<std::string_view> parts) {
  std::string temporary = fmt::format("{}.XXXXXX", path.string());
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) fail_system(path.string(), "write beside");
  std::FILE* file = ::fdopen(descriptor, "wb");
  bool written = file != nullptr && ::fchmod(descriptor, 0644) == 0;
  for (const std::string_view part : parts) {
    written = written && std::fwrite(part.data(), 1, part.size(), file) == part.size();
  }
  written = file != nullptr && std::fclose(file) == 0 && written;
  if (!written || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    errno = reason;
    fail_system(path.string(), "write");
  }
}

}  // namespace assay
