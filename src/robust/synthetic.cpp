#include "robust/synthetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/counter_random.h"

namespace assay {
namespace {

// Columns [first, first + count) of the table of noise, shared out over the threads.
template <typename M>
void draw_noise(ThreadPool& pool, const SyntheticData& data, Index first, Index count, M& out) {
  using Value = typename M::Scalar;
  constexpr Index together = 16;
  pool.run((count + together - 1) / together, [&](Index task) {
    const Index end = std::min(count, (task + 1) * together);
    for (Index i = task * together; i < end; ++i) {
      normal_row(data.seed, data.stream, first + i,
                 std::span<Value>(out.col(i).data(), static_cast<std::size_t>(data.noise_dim())));
    }
  });
}

// Columns of noise, its signs changed, about the means of their classes at a scale.
void set_inputs(ThreadPool& pool, const SyntheticData& data, const FloatMatrix& noise,
                std::span<const Label> labels, double scale, FloatMatrix& inputs) {
  const Eigen::VectorXf signs = noise_signs(data, scale);
  const double shift = scale / std::sqrt(static_cast<double>(data.dim));
  const auto sign = [&](Index i) { return labels[static_cast<std::size_t>(i)] == 1 ? 1.0 : -1.0; };
  if (data.world == nullptr) {
    pool.run(noise.cols(), [&](Index i) {
      inputs.col(i) = noise.col(i).cwiseProduct(signs).array() +
                      static_cast<float>(data.offset + sign(i) * shift);
    });
    return;
  }
  inputs = data.world->coloured(signs.asDiagonal() * noise);
  pool.run(noise.cols(), [&](Index i) {
    inputs.col(i).array() += static_cast<float>(data.offset);
    inputs.col(i) += static_cast<float>(sign(i) * scale) * data.world->mean();
  });
}

}  // namespace

Label SyntheticData::label(Index i) const {
  const auto up_to = [&](Index count) {
    return std::floor(static_cast<double>(count) * class_prior + 0.5);
  };
  return up_to(i + 1) > up_to(i) ? 1 : 0;
}

std::vector<Label> SyntheticData::labels() const {
  std::vector<Label> out(static_cast<std::size_t>(samples));
  for (Index i = 0; i < samples; ++i) out[static_cast<std::size_t>(i)] = label(i);
  return out;
}

Eigen::VectorXf noise_signs(const SyntheticData& data, double scale) {
  constexpr std::uint32_t stream = 0x7369676e;  // far from those of the noise
  constexpr Index bits = 128;
  const auto place = std::bit_cast<std::uint64_t>(scale);
  const std::array<std::uint32_t, 2> key = {static_cast<std::uint32_t>(data.seed),
                                            static_cast<std::uint32_t>(data.seed >> 32)};
  Eigen::VectorXf out(data.noise_dim());
  for (Index first = 0; first < out.size(); first += bits) {
    const auto block =
        philox({static_cast<std::uint32_t>(first / bits), static_cast<std::uint32_t>(place),
                static_cast<std::uint32_t>(place >> 32), stream},
               key);
    for (Index k = 0; k < std::min(bits, out.size() - first); ++k)
      out[first + k] =
          (block[static_cast<std::size_t>(k / 32)] >> (k % 32) & 1U) != 0 ? 1.0F : -1.0F;
  }
  return out;
}

// x = +-s 1 / sqrt(d) + offset + N(0, I), SynBench, Eq. 1 with mu = s 1 / sqrt(d) (synthetic.h).
void stream_inputs(ThreadPool& pool, const SyntheticData& data, std::span<const double> scales,
                   Index block, const std::function<void(const InputBlock&)>& consume) {
  const std::vector<Label> labels = data.labels();
  for (Index first = 0; first < data.samples; first += block) {
    const Index count = std::min(block, data.samples - first);
    FloatMatrix noise(data.noise_dim(), count);
    draw_noise(pool, data, first, count, noise);
    const auto own =
        std::span(labels).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    FloatMatrix inputs(data.dim, count);
    for (std::size_t s = 0; s < scales.size(); ++s) {
      set_inputs(pool, data, noise, own, scales[s], inputs);
      consume({s, first, own, &inputs});
    }
  }
}

Matrix synthetic_noise(ThreadPool& pool, const SyntheticData& data) {
  Matrix out(data.noise_dim(), data.samples);
  draw_noise(pool, data, 0, data.samples, out);
  return out;
}

}  // namespace assay
