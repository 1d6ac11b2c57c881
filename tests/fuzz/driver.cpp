// One libFuzzer program per parser: compiled with ASSAY_FUZZ_TARGET set to its name.
#include <cstdint>

#include "targets.h"

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  assay::fuzz::prepare();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const assay::fuzz::Target& target = assay::fuzz::target_named(ASSAY_FUZZ_TARGET);
  target.run({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}
