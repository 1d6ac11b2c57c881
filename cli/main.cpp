#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common.h"
#include "core/blas_kernel.h"
#include "core/machine.h"
#include "io/bus_guard.h"
#include "io/hdf5_worker.h"
#include "launched_run.h"

// OpenBLAS starts a thread per core when it is loaded; they spin, and we never use them. Weak:
// builds of it without threads of their own do not have the second symbol.
extern "C" void openblas_set_num_threads(int threads);
extern "C" __attribute__((weak)) int blas_thread_shutdown_(void);

using assay::cli::GlobalOptions;

// What a library must not do, and a program should: mapped files that shrink are reported, and
// a limit on file sizes makes writing fail instead of ending the process half-way.
void prepare_process() {
  assay::guard_mapped_files();
  std::signal(SIGXFSZ, SIG_IGN);
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (!unknown) assay::use_hdf5_worker(self);
}

// Starts the program anew where OpenBLAS does not know this processor and fell back to kernels that
// are several times slower. Before anything else: it costs a few milliseconds, once.
void choose_blas_kernel(char** argv) {
  const auto kernel = assay::better_blas_kernel();
  if (!kernel || setenv("OPENBLAS_CORETYPE", std::string(*kernel).c_str(), 1) != 0) return;
  execv("/proc/self/exe", argv);  // where that fails, the slow kernels are right as well
}

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--hdf5-worker")
    return assay::serve_hdf5(argv[2], argv[3]);
  choose_blas_kernel(argv);
  prepare_process();
  assay::prepare_heap();
  openblas_set_num_threads(1);
  if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
  GlobalOptions global;
  global.command_line.assign(argv, argv + argc);
  return assay::cli::run_launched(std::vector<std::string>(argv + 1, argv + argc), global);
}
