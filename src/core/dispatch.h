#pragma once

#include <string_view>
#include <utility>

namespace assay {

// The widest vectors that hot loops use, by the names of the x86-64 levels: v3 has AVX2 with fused
// multiply-add, v4 AVX-512. Other processors have the baseline alone, which is all they need
// (AArch64's includes its vectors).
enum class VectorLevel { baseline, v3, v4 };

// The highest level of this processor, or what ASSAY_VECTOR_LEVEL (baseline, v3, v4) asks for;
// throws Error (bad input) when that is no level, or more than the processor has.
VectorLevel vector_level();

// What the processor has, whatever the environment asks for.
VectorLevel highest_vector_level();

std::string_view name_of(VectorLevel level);

#if defined(__x86_64__) && defined(__GNUC__)
namespace detail {

template <auto Loop, typename... Arguments>
[[gnu::target("arch=x86-64-v3"), gnu::flatten, gnu::noinline]] auto loop_v3(
    Arguments&&... arguments) {
  return Loop(std::forward<Arguments>(arguments)...);
}

template <auto Loop, typename... Arguments>
[[gnu::target("arch=x86-64-v4"), gnu::flatten, gnu::noinline]] auto loop_v4(
    Arguments&&... arguments) {
  return Loop(std::forward<Arguments>(arguments)...);
}

}  // namespace detail
#endif

// Runs a hot loop in the version for this processor: one binary serves every machine. The loop, an
// ordinary function or an instance of a template, is compiled once per level because `flatten`
// copies it, and all that it calls, into a function of that level. The last digits differ between
// levels (fused multiply-add rounds once); results are tested at each (`make test-processors`).
template <auto Loop, typename... Arguments>
auto for_this_processor(Arguments&&... arguments) {
#if defined(__x86_64__) && defined(__GNUC__)
  switch (vector_level()) {
    case VectorLevel::v4:
      return detail::loop_v4<Loop>(std::forward<Arguments>(arguments)...);
    case VectorLevel::v3:
      return detail::loop_v3<Loop>(std::forward<Arguments>(arguments)...);
    case VectorLevel::baseline:
      break;
  }
#endif
  return Loop(std::forward<Arguments>(arguments)...);
}

}  // namespace assay
