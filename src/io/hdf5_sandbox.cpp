#include "io/hdf5_sandbox.h"

#include <sys/resource.h>

#include <cstdlib>

#if defined(__linux__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <vector>
#endif

namespace assay::hdf5 {
namespace {

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  static_cast<void>(::setrlimit(static_cast<__rlimit_resource>(resource), &both));
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#if defined(__x86_64__)
constexpr unsigned kMachine = AUDIT_ARCH_X86_64;
#else
constexpr unsigned kMachine = AUDIT_ARCH_AARCH64;
#endif

// Memory, the open file, the line to the parent, locks, clocks, and the end.
constexpr long kAllowed[] = {
    SYS_read,         SYS_pread64,       SYS_readv,        SYS_lseek,
    SYS_fstat,        SYS_close,         SYS_sendto,       SYS_recvfrom,
    SYS_mmap,         SYS_munmap,        SYS_mremap,       SYS_mprotect,
    SYS_madvise,      SYS_brk,           SYS_futex,        SYS_flock,
    SYS_fcntl,        SYS_clock_gettime, SYS_getrandom,    SYS_gettid,
    SYS_getpid,       SYS_getrusage,     SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_rt_sigreturn, SYS_sched_yield,   SYS_newfstatat,   SYS_exit,
    SYS_exit_group,
};
constexpr long kAllowedWithPlugins[] = {SYS_openat, SYS_getdents64, SYS_readlinkat};

sock_filter statement(unsigned code, unsigned value) {
  return {static_cast<unsigned short>(code), 0, 0, value};
}

sock_filter skip_unless_equal(unsigned value, unsigned char skipped) {
  return {static_cast<unsigned short>(BPF_JMP | BPF_JEQ | BPF_K), 0, skipped, value};
}

std::vector<sock_filter> program_of_filter(bool with_plugins) {
  std::vector<sock_filter> out = {
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      {static_cast<unsigned short>(BPF_JMP | BPF_JEQ | BPF_K), 1, 0, kMachine},
      statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  const auto allow = [&](long call) {
    out.push_back(skip_unless_equal(static_cast<unsigned>(call), 1));
    out.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  };
  for (const long call : kAllowed) allow(call);
  if (with_plugins) {
    for (const long call : kAllowedWithPlugins) allow(call);
  }
  // Refused, not killed: the library may ask for what it can do without.
  out.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES));
  return out;
}

bool install_filter() {
  std::vector<sock_filter> program = program_of_filter(std::getenv("HDF5_PLUGIN_PATH") != nullptr);
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
#else
bool install_filter() { return false; }
#endif

}  // namespace

void lay_down_limits(Index memory) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_AS, static_cast<rlim_t>(memory));
}

bool lay_down_system_calls() { return install_filter(); }

}  // namespace assay::hdf5
