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
#include <csignal>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "assay/error.h"
#include "core/machine.h"
#include "core/memory.h"
#include "io/hdf5_asked.h"
#include "io/hdf5_messages.h"

extern char** environ;

namespace assay {
namespace {

namespace fs = std::filesystem;

class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int fd = -1) : fd_(fd) {}
  ~OwnedDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  OwnedDescriptor(OwnedDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int get() const { return fd_; }

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

// One process, one file. It is ended for good with this object.
class Worker {
 public:
  Worker(const fs::path& program, FileIdentity identity, int file, Hdf5Patience patience)
      : identity_(std::move(identity)), patience_(patience) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      fail_system(identity_.path, "reach a process to read it with");
    socket_ = OwnedDescriptor(ends[0]);
    const OwnedDescriptor theirs = moved_up(ends[1]);
    process_ = start_worker(program, identity_.path, file, theirs.get());
    source_.emplace(socket_.get(),
                    hdf5::Peer{identity_.path, [this](int seconds) { judge_silence(seconds); },
                               [this] { return last_words(); }});
  }
  ~Worker() { end(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Worker(Worker&&) = delete;
  Worker& operator=(Worker&&) = delete;

  const FileIdentity& identity() const { return identity_; }
  bool alive() const { return process_ > 0; }
  Hdf5Source& source() { return *source_; }

 private:
  // A disk may be slow, and then the process waits; what it may not do is compute without an end,
  // or neither compute nor answer.
  void judge_silence(int seconds) {
    const std::optional<double> used = processor_seconds(process_);
    if (!used) return;
    if (seconds == 1) used_before_ = *used;
    if (seconds == 1 || *used > used_last_) busy_at_ = seconds;
    used_last_ = *used;
    if (*used - used_before_ > patience_.computing) {
      reason_ = fmt::format(
          "{}: the HDF5 library computed for {:.0f} seconds without an answer and was ended; the "
          "file is damaged, made to do harm, or too costly to unpack (save it as .npy)",
          identity_.path, patience_.computing);
    } else if (seconds - busy_at_ > patience_.idle) {
      reason_ = fmt::format(
          "{}: the process that reads it did nothing for {:.0f} seconds and was ended; the file is "
          "damaged, or its disk does not answer",
          identity_.path, patience_.idle);
    }
    if (!reason_.empty()) end();
  }

  // Killed only while it is known to be our child and not waited for: its number may be another's.
  void end() {
    int status = 0;
    if (process_ > 0 && ::waitpid(process_, &status, WNOHANG) == 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, &status, 0);
    }
    process_ = -1;
  }

  std::string last_words() {
    if (!reason_.empty()) return reason_;
    int status = 0;
    if (process_ > 0) ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFSIGNALED(status)
               ? fmt::format(
                     "{}: the HDF5 library crashed on it (signal {}); the file is damaged, "
                     "or made to do harm",
                     identity_.path, WTERMSIG(status))
               : fmt::format(
                     "{}: the process that reads HDF5 files ended early; the file is "
                     "damaged, or memory ran out",
                     identity_.path);
  }

  FileIdentity identity_;
  Hdf5Patience patience_;
  OwnedDescriptor socket_;
  std::atomic<pid_t> process_ = -1;  // not alive after its end was seen
  std::optional<hdf5::AskedSource> source_;
  // Of the question that is being asked, by whoever asks it.
  double used_before_ = 0.0;
  double used_last_ = 0.0;
  int busy_at_ = 0;
  std::string reason_;  // why we ended it
};

// The workers used last stay, as names, shape and rows of one file are asked one after another.
class Workers {
 public:
  fs::path program;
  Hdf5Patience patience;

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
      recent_.push_front(
          std::make_shared<Worker>(program, std::move(identity), file.get(), patience));
      if (recent_.size() > most_) recent_.pop_back();
    }
    return {recent_.front(), &recent_.front()->source()};
  }

 private:
  // Enough for every thread to have a file of its own.
  const std::size_t most_ = static_cast<std::size_t>(std::max(8, 2 * usable_processors()));
  std::mutex mutex_;
  std::list<std::shared_ptr<Worker>> recent_;
};

Workers& workers() {
  static Workers all;
  return all;
}

}  // namespace

void use_hdf5_worker(const fs::path& program, Hdf5Patience patience) {
  workers().program = program;
  workers().patience = patience;
}

std::shared_ptr<Hdf5Source> open_hdf5_in_worker(const fs::path& file) {
  return workers().program.empty() ? nullptr : workers().open(file);
}

}  // namespace assay
