#include "core/counter_random.h"

#include <cmath>
#include <numbers>

namespace assay {
namespace {

std::array<std::uint32_t, 2> high_and_low(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t wide = static_cast<std::uint64_t>(a) * b;
  return {static_cast<std::uint32_t>(wide >> 32), static_cast<std::uint32_t>(wide)};
}

// 53 bits as a number in (0, 1]: its logarithm exists.
double unit(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32 | low) >> 11;
  return static_cast<double>(bits + 1) * 0x1p-53;
}

// Two numbers from each block of bits (Box and Muller).
template <typename T>
void fill_row(std::uint64_t seed, std::uint32_t stream, Index row, std::span<T> out) {
  const auto position = static_cast<std::uint64_t>(row);
  const std::array<std::uint32_t, 2> key = {static_cast<std::uint32_t>(seed),
                                            static_cast<std::uint32_t>(seed >> 32)};
  for (std::size_t j = 0; j < out.size(); j += 2) {
    const auto bits =
        philox({static_cast<std::uint32_t>(j / 2), static_cast<std::uint32_t>(position),
                static_cast<std::uint32_t>(position >> 32), stream},
               key);
    const double radius = std::sqrt(-2.0 * std::log(unit(bits[0], bits[1])));
    const double angle = 2.0 * std::numbers::pi * unit(bits[2], bits[3]);
    out[j] = static_cast<T>(radius * std::cos(angle));
    if (j + 1 < out.size()) out[j + 1] = static_cast<T>(radius * std::sin(angle));
  }
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    const auto [high0, low0] = high_and_low(0xD2511F53U, counter[0]);
    const auto [high1, low1] = high_and_low(0xCD9E8D57U, counter[2]);
    counter = {high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0};
    key[0] += 0x9E3779B9U;  // the golden ratio
    key[1] += 0xBB67AE85U;  // the square root of 3, less 1
  }
  return counter;
}

void normal_row(std::uint64_t seed, std::uint32_t stream, Index row, std::span<double> out) {
  fill_row(seed, stream, row, out);
}
void normal_row(std::uint64_t seed, std::uint32_t stream, Index row, std::span<float> out) {
  fill_row(seed, stream, row, out);
}

}  // namespace assay
