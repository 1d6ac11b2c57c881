#include "io/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "assay/error.h"
#include "io/bus_guard.h"

namespace assay {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{16} << 20;

struct Descriptor {
  int fd = -1;
  struct stat info {};

  explicit Descriptor(int opened) : fd(opened) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(Descriptor&& other) noexcept : fd(std::exchange(other.fd, -1)), info(other.info) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
};

[[noreturn]] void fail_short(const std::string& path) {
  throw Error(
      ErrorCode::io,
      fmt::format("{}: became shorter while it was read; is something still writing it?", path));
}

void require_regular(const struct stat& info, const std::string& path) {
  if (S_ISREG(info.st_mode)) return;
  if (S_ISFIFO(info.st_mode)) {
    fail_input(fmt::format(
        "{}: a pipe, which can be read only once; write it to a file first and name that file",
        path));
  }
  fail_input(fmt::format("{}: {}, not a regular file", path,
                         S_ISDIR(info.st_mode) ? "a directory" : "a device or socket"));
}

// Without waiting: the other end of a pipe may never come.
Descriptor open_regular(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.fd < 0) fail_system(path.string(), "open");
  if (::fstat(file.fd, &file.info) != 0) fail_system(path.string(), "examine");
  require_regular(file.info, path.string());
  return file;
}

void read_whole(int fd, std::byte* out, std::size_t size, const std::string& path) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::pread(fd, out + done, size - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_system(path, "read");
    if (got == 0) fail_short(path);
    done += static_cast<std::size_t>(got);
  }
}

}  // namespace

Index regular_file_size(const std::filesystem::path& path) {
  const Descriptor file = open_regular(path);
  return static_cast<Index>(file.info.st_size);
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file = open_regular(path);
  const struct stat& info = file.info;
  std::shared_ptr<MappedFile> out(new MappedFile);
  out->path_ = path.string();
  out->device_ = info.st_dev;
  out->inode_ = info.st_ino;
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return out;
  const bool mapped = mapped_files_are_guarded() || size > kReadAtOnce;
  void* const start =
      mapped ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0)
             : ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) fail_system(path.string(), "map");
  out->bytes_ = {static_cast<const std::byte*>(start), size};
  if (mapped) {
    out->watched_ = watch_mapping(start, size, out->path_.c_str());
  } else {
    read_whole(file.fd, static_cast<std::byte*>(start), size, out->path_);
  }
  return out;
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  if (watched_ != nullptr) unwatch_mapping(watched_);
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::require_whole() const {
  if (watched_ == nullptr || mapped_files_are_guarded()) return;
  struct stat info {};
  const bool same = ::stat(path_.c_str(), &info) == 0 && info.st_dev == device_ &&
                    info.st_ino == inode_;  // a file renamed into its place leaves ours alone
  if (same && static_cast<std::size_t>(info.st_size) < bytes_.size()) fail_short(path_);
}

void MappedFile::release(std::span<const std::byte> part) const {
  if (watched_ == nullptr) return;  // pages of a copy would come back as zeros
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGE_SIZE));
  const std::size_t begin = static_cast<std::size_t>(part.data() - bytes_.data());
  const std::size_t first = (begin + page - 1) / page * page;
  const std::size_t last = (begin + part.size()) / page * page;
  if (first >= last) return;
  ::madvise(const_cast<std::byte*>(bytes_.data()) + first, last - first, MADV_DONTNEED);
}

}  // namespace assay
