#include "io/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/error.h"

namespace assay {
namespace {

struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) fail_system(path.string(), "open");
  struct stat info {};
  if (::fstat(file.fd, &info) != 0) fail_system(path.string(), "examine");
  if (!S_ISREG(info.st_mode)) fail_input(fmt::format("{}: not a regular file", path.string()));
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (start == MAP_FAILED) fail_system(path.string(), "map");
  return std::shared_ptr<const MappedFile>(
      new MappedFile({static_cast<const std::byte*>(start), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release(std::span<const std::byte> part) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGE_SIZE));
  const std::size_t begin = static_cast<std::size_t>(part.data() - bytes_.data());
  const std::size_t first = (begin + page - 1) / page * page;
  const std::size_t last = (begin + part.size()) / page * page;
  if (first >= last) return;
  ::madvise(const_cast<std::byte*>(bytes_.data()) + first, last - first, MADV_DONTNEED);
}

}  // namespace assay
