#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"
#include "linalg/gram.h"
#include "robust/synthetic_world.h"

namespace assay {

// The synthetic data of SynBench: samples of d numbers in two classes,
//
//     x = +-s 1_d / sqrt(d) + offset + N(0, I_d),
//
// or that of another world. Noise is drawn once for all scales, and at each scale half of the
// coordinates, drawn anew, change their sign. That is noise of the same law, and what chance does
// to the scales averages out as if each had noise of its own (docs/guide/robust.md has the
// measurement). Never more than a block of samples is held, and no d x d matrix.
struct SyntheticData {
  Index dim = 0;
  Index samples = 0;
  double class_prior = 0.5;  // share of class 1; met exactly, but for rounding
  double offset = 0.5;       // inputs are centred like images in [0, 1]
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;               // 0 to fit, 1 to measure; independent of each other
  const SyntheticWorld* world = nullptr;  // of `dim` inputs; null: the paper's

  // Independent numbers behind the noise of a sample.
  Index noise_dim() const { return world != nullptr ? world->noise_dim() : dim; }

  // Class of sample i, 0 or 1. Classes alternate, as evenly as their shares allow.
  Label label(Index i) const;
  std::vector<Label> labels() const;
};

// Some samples at one scale, as a network wants them.
struct InputBlock {
  std::size_t scale = 0;                // position in the list of scales
  Index first = 0;                      // number of the first sample
  std::span<const Label> labels;        // of these samples
  const FloatMatrix* inputs = nullptr;  // d x count, one sample per column
};

// Calls consume for every scale of the first block of samples, then of the next, in order and from
// the calling thread. Values depend on nothing but the data's description: neither on the number
// of threads nor on the size of blocks.
void stream_inputs(ThreadPool& pool, const SyntheticData& data, std::span<const double> scales,
                   Index block, const std::function<void(const InputBlock&)>& consume);

// The signs of the coordinates at a scale, 1 or -1.
Eigen::VectorXf noise_signs(const SyntheticData& data, double scale);

// All the noise in double, d x samples, before any change of signs.
Matrix synthetic_noise(ThreadPool& pool, const SyntheticData& data);

}  // namespace assay
