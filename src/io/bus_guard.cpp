#include "io/bus_guard.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>

namespace assay {

// A list that only grows, so that a signal handler may walk it at any moment; entries are used
// again. `start` is written last and cleared first.
struct WatchedMapping {
  std::atomic<const char*> start{nullptr};
  std::atomic<std::size_t> size{0};
  std::atomic<const char*> name{nullptr};
  WatchedMapping* next = nullptr;       // in the list of all
  WatchedMapping* next_free = nullptr;  // in the list of those not in use
};

namespace {

std::atomic<WatchedMapping*> watched_mappings{nullptr};
std::atomic<bool> bus_errors_are_guarded{false};

std::mutex watch_mutex;
WatchedMapping* unused_mappings = nullptr;

void say(const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t written = ::write(STDERR_FILENO, text, left);
    if (written <= 0) return;
    text += written;
    left -= static_cast<std::size_t>(written);
  }
}

const char* file_at(const void* address) {
  const auto* const at = static_cast<const char*>(address);
  for (const WatchedMapping* one = watched_mappings; one != nullptr; one = one->next) {
    const char* const start = one->start;
    if (start != nullptr && at >= start && at < start + one->size) return one->name;
  }
  return nullptr;
}

void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const char* const name = file_at(info->si_addr);
  if (name == nullptr) {  // not ours: as without us
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  say("assay: error: ");
  say(name);
  say(": became shorter while it was read, or the disk failed; is something still writing it?\n");
  ::_exit(2);
}

}  // namespace

void guard_mapped_files() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  if (::sigaction(SIGBUS, &action, nullptr) == 0) bus_errors_are_guarded = true;
}

bool mapped_files_are_guarded() { return bus_errors_are_guarded; }

WatchedMapping* watch_mapping(const void* start, std::size_t size, const char* name) {
  const std::lock_guard lock(watch_mutex);
  WatchedMapping* entry = unused_mappings;
  if (entry != nullptr) {
    unused_mappings = entry->next_free;
  } else {
    entry = new WatchedMapping;  // never freed: see above
    entry->next = watched_mappings;
    watched_mappings = entry;
  }
  entry->size = size;
  entry->name = name;
  entry->start = static_cast<const char*>(start);
  return entry;
}

void unwatch_mapping(WatchedMapping* mapping) {
  const std::lock_guard lock(watch_mutex);
  mapping->start = nullptr;
  mapping->next_free = unused_mappings;
  unused_mappings = mapping;
}

}  // namespace assay
