#pragma once

#include <cstdint>
#include <span>

namespace assay {

// IEEE 754 binary16 to float: exact, NaN and infinities kept.
float half_to_float(std::uint16_t bits);

// The same for many values; uses the processor's conversion where it has one.
void half_to_float(std::span<const std::uint16_t> from, float* to);

// Nearest half, ties to even; overflow becomes infinity.
std::uint16_t float_to_half(float value);

}  // namespace assay
