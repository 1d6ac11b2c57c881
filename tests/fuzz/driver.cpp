// One libFuzzer program per parser: compiled with ASSAY_FUZZ_TARGET set to its name.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "io/hdf5_worker.h"
#include "targets.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 4 && std::strcmp((*argv)[1], "--hdf5-worker") == 0)
    std::_Exit(assay::serve_hdf5((*argv)[2], (*argv)[3]));
  assay::use_hdf5_worker("/proc/self/exe");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const assay::fuzz::Target& target = assay::fuzz::target_named(ASSAY_FUZZ_TARGET);
  target.run({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
