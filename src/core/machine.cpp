// Everything here that is not POSIX stands behind a guard with a fallback: the one file to look at
// when the engine moves to another system.
#include "core/machine.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#include <time.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#endif

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::optional<double> number(std::string_view text) {
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end == text.data() || !(value > 0.0)) return std::nullopt;
  return value;
}

// Version 1 writes the largest number of pages where there is no limit.
constexpr double kNoLimit = 9e18;

void lower(std::optional<Index>& limit, std::optional<double> value) {
  if (!value || *value >= kNoLimit) return;
  const auto bytes = static_cast<Index>(*value);
  limit = limit ? std::min(*limit, bytes) : bytes;
}

void lower(std::optional<double>& limit, std::optional<double> quota,
           std::optional<double> period) {
  if (!quota || !period) return;
  const double processors = *quota / *period;
  limit = limit ? std::min(*limit, processors) : processors;
}

void read_version_2(const fs::path& group, ContainerLimits& out) {
  lower(out.memory, number(first_line(group / "memory.max")));
  lower(out.memory, number(first_line(group / "memory.high")));
  std::istringstream cpu(first_line(group / "cpu.max"));  // "150000 100000" or "max 100000"
  std::string quota;
  std::string period;
  cpu >> quota >> period;
  lower(out.processors, number(quota), number(period));
}

void read_version_1(const fs::path& group, ContainerLimits& out) {
  lower(out.memory, number(first_line(group / "memory.limit_in_bytes")));
  lower(out.processors, number(first_line(group / "cpu.cfs_quota_us")),
        number(first_line(group / "cpu.cfs_period_us")));
}

// A group and those above it, up to the root of its hierarchy. Inside a container the path may be
// the host's and not exist here: the root then stands for it.
std::vector<fs::path> with_parents(const fs::path& root, std::string_view inside) {
  std::vector<fs::path> out{root};
  fs::path group = root;
  for (const fs::path& part : fs::path(inside).relative_path()) {
    if (part == "..") break;
    group /= part;
    out.push_back(group);
  }
  return out;
}

bool holds_word(std::string_view list, std::string_view word) {
  std::istringstream words{std::string(list)};
  for (std::string entry; std::getline(words, entry, ',');) {
    if (entry == word) return true;
  }
  return false;
}

int allowed_processors() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

ContainerLimits container_limits(const fs::path& groups, const fs::path& own) {
  ContainerLimits out;
  std::ifstream file(own);
  for (std::string line; std::getline(file, line);) {  // "4:memory:/a/b", version 2: "0::/a/b"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string inside = line.substr(second + 1);
    if (controllers.empty()) {
      for (const fs::path& group : with_parents(groups, inside)) read_version_2(group, out);
      for (const fs::path& group : with_parents(groups / "unified", inside))
        read_version_2(group, out);
    } else if (holds_word(controllers, "memory")) {
      for (const fs::path& group : with_parents(groups / "memory", inside))
        read_version_1(group, out);
    } else if (holds_word(controllers, "cpu")) {
      for (const fs::path& mount : {groups / "cpu", groups / controllers}) {
        for (const fs::path& group : with_parents(mount, inside)) read_version_1(group, out);
      }
    }
  }
  return out;
}

Index usable_memory() {
  const Index machine =
      static_cast<Index>(sysconf(_SC_PHYS_PAGES)) * static_cast<Index>(sysconf(_SC_PAGESIZE));
  return std::min(machine, container_limits().memory.value_or(machine));
}

int usable_processors() {
  const double allowed = std::max(1, allowed_processors());
  const double share = std::ceil(container_limits().processors.value_or(allowed));
  return static_cast<int>(std::clamp(share, 1.0, allowed));
}

std::optional<double> processor_seconds(int process) {
#if defined(__linux__)
  clockid_t clock = 0;
  timespec used{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    return std::nullopt;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
#else
  static_cast<void>(process);
  return std::nullopt;
#endif
}

void prepare_heap() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  constexpr int reserve = 256 << 20;  // of addresses, not of memory
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, reserve);
  constexpr std::uintptr_t page = 2 << 20;
  auto* const before = static_cast<char*>(sbrk(0));
  void* volatile moves_the_end = std::malloc(1 << 20);  // volatile, or the pair is optimised away
  std::free(moves_the_end);
  const auto* const end = static_cast<char*>(sbrk(0));
  char* const first = before + (page - reinterpret_cast<std::uintptr_t>(before) % page) % page;
  if (end > first) madvise(first, static_cast<std::size_t>(end - first), MADV_HUGEPAGE);
#endif
}

}  // namespace assay
