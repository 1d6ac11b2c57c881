#include "core/random.h"

#include <cmath>
#include <numeric>

namespace assay {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;  // 2^64 / golden ratio

// The finaliser of SplitMix64: every bit of the result depends on every bit of z.
std::uint64_t mixed_bits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t value) {
  return mixed_bits(seed + kGolden * (value + 1));
}

std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t use, std::uint64_t number) {
  return mixed_bits(mixed_bits(seed + use + kGolden) + number + kGolden);
}

double Random::uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

// Marsaglia's polar method: two normals per accepted point, no trigonometry.
double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  while (true) {
    const double a = 2.0 * uniform() - 1.0;
    const double b = 2.0 * uniform() - 1.0;
    const double r = a * a + b * b;
    if (r >= 1.0 || r == 0.0) continue;
    const double scale = std::sqrt(-2.0 * std::log(r) / r);
    spare_ = b * scale;
    has_spare_ = true;
    return a * scale;
  }
}

Index Random::below(Index limit) {
  const auto range = static_cast<std::uint64_t>(limit);
  const std::uint64_t rejected =
      (0 - range) % range;  // 2^64 mod range: these would favour low numbers
  while (true) {
    const std::uint64_t draw = engine_();
    if (draw >= rejected) return static_cast<Index>(draw % range);
  }
}

std::vector<Index> Random::permutation(Index count) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  shuffle(order);
  return order;
}

}  // namespace assay
