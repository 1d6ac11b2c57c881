#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "assay/types.h"

namespace assay {

// Random numbers without a state: each is a function of where it stands, so any thread can draw
// any part of a table, in any order, and the table is the same.

// Philox4x32-10 (Salmon et al., SC 2011): 128 random bits for a counter and a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

// Row `row` of an endless table of standard normal numbers, its first out.size() columns. Tables
// of other seeds or streams are independent. About 30 ns a number.
void normal_row(std::uint64_t seed, std::uint32_t stream, Index row, std::span<double> out);
void normal_row(std::uint64_t seed, std::uint32_t stream, Index row, std::span<float> out);

}  // namespace assay
