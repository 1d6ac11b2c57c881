#include "io/half.h"

#include <bit>
#include <cmath>
#include <cstddef>

#include "core/dispatch.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {
namespace {

#if defined(__x86_64__)
[[gnu::target("avx,f16c")]] void convert_v3(std::span<const std::uint16_t> from, float* to) {
  std::size_t i = 0;
  for (; i + 8 <= from.size(); i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from.data() + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
  for (; i < from.size(); ++i) to[i] = half_to_float(from[i]);
}

[[gnu::target("avx512f")]] void convert_v4(std::span<const std::uint16_t> from, float* to) {
  std::size_t i = 0;
  for (; i + 16 <= from.size(); i += 16) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from.data() + i));
    // Masked by ones: GCC 12 warns of its own header for the plain form (PR 105593).
    _mm512_storeu_ps(to + i, _mm512_maskz_cvtph_ps(0xFFFF, halves));
  }
  for (; i < from.size(); ++i) to[i] = half_to_float(from[i]);
}
#endif

}  // namespace

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7FFFU;
  if (magnitude >= 0x7C00U) {  // infinity, NaN
    return std::bit_cast<float>(sign | 0x7F800000U | (magnitude & 0x03FFU) << 13);
  }
  if (magnitude < 0x0400U) {  // zero, subnormal: value is magnitude * 2^-24
    const float value = static_cast<float>(magnitude) * 0x1.0p-24F;
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000U));
}

void half_to_float(std::span<const std::uint16_t> from, float* to) {
#if defined(__x86_64__)
  const VectorLevel level = vector_level();
  if (level >= VectorLevel::v4) return convert_v4(from, to);
  if (level >= VectorLevel::v3) return convert_v3(from, to);
#endif
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = half_to_float(from[i]);
}

std::uint16_t float_to_half(float value) {
  const auto sign = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16 & 0x8000U);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7E00U;
  if (magnitude >= 65520.0F) return sign | 0x7C00U;
  if (magnitude < 0x1.0p-14F) {  // subnormal: a whole number of 2^-24
    return sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1.0p24F));
  }
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(magnitude) - 0x38000000U;
  const std::uint32_t rounded = (bits + 0x0FFFU + (bits >> 13 & 1U)) >> 13;
  return sign | static_cast<std::uint16_t>(rounded);
}

}  // namespace assay
