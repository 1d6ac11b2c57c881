#include "launched_run.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "assay/error.h"
#include "command_line.h"
#include "parts/cluster_share.h"
#include "parts/launcher.h"

namespace assay::cli {
namespace {

// What rank 0 says is said once.
void be_silent() {
  std::fflush(stdout);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

// Whether the launcher gave this process some of the machine's processors, not all of them.
bool is_bound() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return false;
  return CPU_COUNT(&mine) < ::sysconf(_SC_NPROCESSORS_ONLN);
}

}  // namespace

int run_launched(const std::vector<std::string>& words, GlobalOptions& global) {
  const std::optional<Launched> launch = launched();
  if (!launch) return run_command_line(words, global);
  if (!launch->first) be_silent();
  Cluster cluster;
  try {
    cluster = join_cluster(*launch);
  } catch (const Error& error) {
    complain("assay: error: {}\n", error.what());
    return static_cast<int>(Exit::bad_input);
  }
  ClusterShare share(cluster);
  global.share = &share;
  global.follows = !share.leads();
  global.local_ranks = cluster.place.local_size;
  global.bound = is_bound();
  if (global.follows) be_silent();
  const int code = run_command_line(words, global);
  // Nobody waits for what will not come: an error of rank 0 ends the others where they are.
  if (share.leads() && code == static_cast<int>(Exit::bad_input)) {
    std::fflush(nullptr);
    cluster.calls->abort(code);
  }
  return cluster.calls->finish(code);
}

}  // namespace assay::cli
