#pragma once

#include <random>
#include <vector>

#include "assay/types.h"

namespace assay {

// SplitMix64: a seed of its own for each value; neighbouring values give unrelated ones.
std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t value);

// The same for each number of each of several uses.
std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t use, std::uint64_t number);

// A seeded stream whose numbers are the same on every platform (the standard
// fixes the engine but not its distributions, so those are ours).
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double uniform();          // [0, 1)
  double normal();           // mean 0, variance 1
  Index below(Index limit);  // 0 ... limit - 1, unbiased
  std::vector<Index> permutation(Index count);

  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (Index i = static_cast<Index>(values.size()) - 1; i > 0; --i) {
      std::swap(values[static_cast<std::size_t>(i)],
                values[static_cast<std::size_t>(below(i + 1))]);
    }
  }

 private:
  std::mt19937_64 engine_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace assay
