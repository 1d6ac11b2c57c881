#include "core/dispatch.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "assay/error.h"

namespace assay {
namespace {

constexpr std::array<std::pair<std::string_view, VectorLevel>, 3> kLevels = {
    {{"baseline", VectorLevel::baseline}, {"v3", VectorLevel::v3}, {"v4", VectorLevel::v4}}};

VectorLevel chosen_level() {
  const char* asked = std::getenv("ASSAY_VECTOR_LEVEL");
  const VectorLevel highest = highest_vector_level();
  if (asked == nullptr || *asked == '\0') return highest;
  for (const auto& [name, level] : kLevels) {
    if (name != asked) continue;
    if (level <= highest) return level;
    fail_input(fmt::format("ASSAY_VECTOR_LEVEL={}: this processor has {} at most; unset it", asked,
                           name_of(highest)));
  }
  fail_input(fmt::format("ASSAY_VECTOR_LEVEL={}: expected baseline, v3 or v4", asked));
}

}  // namespace

VectorLevel highest_vector_level() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  // The parts of each level that our loops can meet; a processor has all of them or none.
  const bool v3 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                  __builtin_cpu_supports("bmi2") != 0;
  const bool v4 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0;
  if (v3 && v4) return VectorLevel::v4;
  if (v3) return VectorLevel::v3;
#endif
  return VectorLevel::baseline;
}

VectorLevel vector_level() {
  static const VectorLevel level = chosen_level();
  return level;
}

std::string_view name_of(VectorLevel level) {
  return kLevels[static_cast<std::size_t>(level)].first;
}

}  // namespace assay
