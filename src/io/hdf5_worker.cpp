#include "io/hdf5_worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <list>
#include <mutex>
#include <string>
#include <utility>

#include "assay/error.h"
#include "core/machine.h"
#include "core/memory.h"
#include "io/hdf5_messages.h"
#include "io/hdf5_source.h"

extern char** environ;

namespace assay {
namespace {

namespace fs = std::filesystem;
using hdf5::Answer;
using hdf5::Question;
using hdf5::Request;

class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int fd = -1) : fd_(fd) {}
  ~OwnedDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(OwnedDescriptor&&) = delete;

  int get() const { return fd_; }
  void close() { ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

// Away from the numbers that the worker will know them by.
OwnedDescriptor moved_up(int fd) {
  const OwnedDescriptor low(fd);
  return OwnedDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 16));
}

// What makes it the same file as before.
struct FileIdentity {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t changed = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

FileIdentity identity_of(int fd, const fs::path& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) fail_system(path.string(), "examine");
  return {path.string(), info.st_dev, info.st_ino, info.st_size,
          info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
}

pid_t start_worker(const fs::path& program, const fs::path& path, int file, int socket) {
  std::string words[] = {program.string(), "--hdf5-worker", path.string(),
                         std::to_string(reading_limit())};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&actions, file, hdf5::kFileDescriptor);
  posix_spawn_file_actions_adddup2(&actions, socket, hdf5::kSocketDescriptor);
  pid_t process = -1;
  const int status = ::posix_spawn(&process, argv[0], &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (status == 0) return process;
  errno = status;
  fail_system(path.string(), "start a process to read it with");
}

class WorkerSource final : public Hdf5Source {
 public:
  WorkerSource(const fs::path& program, FileIdentity identity, int file)
      : identity_(std::move(identity)) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      fail_system(identity_.path, "reach a process to read it with");
    socket_ = ends[0];
    const OwnedDescriptor theirs = moved_up(ends[1]);
    process_ = start_worker(program, identity_.path, file, theirs.get());
  }

  ~WorkerSource() override {
    if (socket_ >= 0) ::close(socket_);  // it ends by itself then
    if (process_ > 0) ::waitpid(process_, nullptr, 0);
  }
  WorkerSource(const WorkerSource&) = delete;
  WorkerSource& operator=(const WorkerSource&) = delete;
  WorkerSource(WorkerSource&&) = delete;
  WorkerSource& operator=(WorkerSource&&) = delete;

  const FileIdentity& identity() const { return identity_; }
  bool alive() const { return process_ > 0; }

  std::vector<std::string> names() override {
    const std::string body = ask({.question = Question::names}, "");
    hdf5::Unpacker answer(body);
    std::vector<std::string> out;
    for (std::int64_t left = answer.number(); left > 0; --left) out.push_back(answer.text());
    return out;
  }

  Hdf5Shape shape(const std::string& name) override {
    const std::string body = ask({.question = Question::shape}, name);
    hdf5::Unpacker answer(body);
    const Array found = array_of(answer);
    return {found.type, found.shape};
  }

  Array read(const std::string& name) override {
    const std::string body = ask({.question = Question::read}, name);
    hdf5::Unpacker answer(body);
    Array array = array_of(answer);
    const auto bytes = std::as_bytes(std::span(answer.rest()));
    if (checked_byte_size(array.item_size, array.shape) != std::ssize(bytes)) fail_nonsense();
    array.where = fmt::format("{}:{}", identity_.path, name);
    array.buffer = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    array.bytes = *array.buffer;
    return array;
  }

  void read_rows(const Slice& slice, void* out) override {
    const std::lock_guard lock(mutex_);
    const Answer answer = send({.question = Question::rows,
                                .begin = slice.begin,
                                .end = slice.end,
                                .cols = slice.cols,
                                .as = static_cast<std::uint32_t>(slice.as)},
                               slice.name);
    const Index expected = (slice.end - slice.begin) * slice.cols * element_size(slice.as);
    if (answer.size != static_cast<std::uint64_t>(expected)) fail_nonsense();
    if (!hdf5::receive_bytes(socket_, out, answer.size)) fail_dead();
  }

 private:
  std::string ask(const Request& request, const std::string& name) {
    const std::lock_guard lock(mutex_);
    return body_of(send(request, name));
  }

  // The answer's head; an Error of the worker is thrown here.
  Answer send(Request request, const std::string& name) {
    request.name_size = static_cast<std::uint32_t>(name.size());
    Answer answer;
    if (process_ <= 0 || !hdf5::send_bytes(socket_, &request, sizeof request) ||
        !hdf5::send_bytes(socket_, name.data(), name.size()) ||
        !hdf5::receive_bytes(socket_, &answer, sizeof answer))
      fail_dead();
    if (answer.failed == 0) return answer;
    const std::string message = body_of(answer);
    throw Error(answer.code <= static_cast<std::uint32_t>(ErrorCode::too_large)
                    ? static_cast<ErrorCode>(answer.code)
                    : ErrorCode::bad_input,
                message);
  }

  std::string body_of(const Answer& answer) {
    constexpr std::uint64_t for_names = 1 << 20;
    if (answer.size > static_cast<std::uint64_t>(reading_limit()) + for_names) fail_nonsense();
    std::string body(answer.size, '\0');
    if (!hdf5::receive_bytes(socket_, body.data(), body.size())) fail_dead();
    return body;
  }

  static Array array_of(hdf5::Unpacker& answer) {
    Array out;
    const std::int64_t type = answer.number();
    if (type < 0 || type > static_cast<std::int64_t>(ElementType::bytes))
      fail_input("an answer of the HDF5 worker makes no sense");
    out.type = static_cast<ElementType>(type);
    out.item_size = answer.number();
    for (std::int64_t left = answer.number(); left > 0; --left)
      out.shape.push_back(answer.number());
    return out;
  }

  [[noreturn]] void fail_nonsense() const {
    fail_input(
        fmt::format("{}: the process that reads it gave no sensible answer; the file is "
                    "damaged, or made to do harm",
                    identity_.path));
  }

  [[noreturn]] void fail_dead() {
    int status = 0;
    if (process_ > 0) ::waitpid(process_, &status, 0);
    process_ = -1;
    fail_input(WIFSIGNALED(status)
                   ? fmt::format("{}: the HDF5 library crashed on it (signal {}); the file is "
                                 "damaged, or made to do harm",
                                 identity_.path, WTERMSIG(status))
                   : fmt::format("{}: the process that reads HDF5 files ended early; the file is "
                                 "damaged, or memory ran out",
                                 identity_.path));
  }

  FileIdentity identity_;
  int socket_ = -1;
  std::atomic<pid_t> process_ = -1;  // not alive after its end was seen
  std::mutex mutex_;                 // one question at a time
};

// The workers used last stay, as names, shape and rows of one file are asked one after another.
class Workers {
 public:
  fs::path program;

  std::shared_ptr<Hdf5Source> open(const fs::path& path) {
    const OwnedDescriptor file = moved_up(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) fail_system(path.string(), "open");
    FileIdentity identity = identity_of(file.get(), path);
    const std::lock_guard lock(mutex_);
    recent_.remove_if([](const auto& worker) { return !worker->alive(); });
    const auto known = std::ranges::find_if(
        recent_, [&](const auto& worker) { return worker->identity() == identity; });
    if (known != recent_.end()) {
      recent_.splice(recent_.begin(), recent_, known);
    } else {
      recent_.push_front(std::make_shared<WorkerSource>(program, std::move(identity), file.get()));
      if (recent_.size() > most_) recent_.pop_back();
    }
    return recent_.front();
  }

 private:
  // Enough for every thread to have a file of its own.
  const std::size_t most_ = static_cast<std::size_t>(std::max(8, 2 * usable_processors()));
  std::mutex mutex_;
  std::list<std::shared_ptr<WorkerSource>> recent_;
};

Workers& workers() {
  static Workers all;
  return all;
}

}  // namespace

void use_hdf5_worker(const fs::path& program) { workers().program = program; }

std::shared_ptr<Hdf5Source> open_hdf5_in_worker(const fs::path& file) {
  return workers().program.empty() ? nullptr : workers().open(file);
}

}  // namespace assay
