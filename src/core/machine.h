#pragma once

#include <filesystem>
#include <optional>

#include "assay/types.h"

namespace assay {

// What the control groups of this process, and of those around it, allow. A container sees the
// whole machine's memory and cores; only these files say how much of them is its own.
struct ContainerLimits {
  std::optional<Index> memory;       // bytes
  std::optional<double> processors;  // CPU time per time, such as 1.5
};

// Reads version 2 (memory.max, memory.high, cpu.max) and version 1 (memory.limit_in_bytes,
// cpu.cfs_quota_us) of Linux's interface: the least of a group and of all groups above it. What is
// not there, or not a number, limits nothing.
ContainerLimits container_limits(const std::filesystem::path& groups = "/sys/fs/cgroup",
                                 const std::filesystem::path& own = "/proc/self/cgroup");

// Bytes of memory, and processors, that this process may use: the machine's, or what its container
// and its affinity leave of them. At least one processor; a part of one counts as one.
Index usable_memory();
int usable_processors();

// Processor time that another process has used so far; nothing where the system does not say.
std::optional<double> processor_seconds(int process);

// Keeps the pages of large matrices that come and go, and asks for large ones, where the C library
// lets us (glibc on Linux); does nothing elsewhere. Once, before any other thread.
void prepare_heap();

}  // namespace assay
