#include "pretext.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/affine_grid_generator.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/grid_sampler.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/roll.h>
#include <ATen/ops/rot90.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/stack.h>

#include <vector>

namespace sprites {
namespace {

// Uniform in [low, high), one number per image.
at::Tensor uniform(int64_t count, double low, double high, const at::Generator& generator) {
  return at::rand({count}, generator).mul_(high - low).add_(low);
}

// n x 2 x 3: where in the image each point of the view comes from, in coordinates from -1 to 1.
at::Tensor random_frames(int64_t count, const at::Generator& generator) {
  const at::Tensor zoom = uniform(count, 0.8, 1.25, generator);
  const at::Tensor turn = uniform(count, -0.5, 0.5, generator);
  const at::Tensor mirror = at::sign(uniform(count, -1.0, 1.0, generator));
  const at::Tensor cosine = zoom * at::cos(turn);
  const at::Tensor sine = zoom * at::sin(turn);
  const at::Tensor right = uniform(count, -0.25, 0.25, generator);
  const at::Tensor down = uniform(count, -0.25, 0.25, generator);
  return at::stack({mirror * cosine, -sine, right, mirror * sine, cosine, down}, 1)
      .view({count, 2, 3});
}

}  // namespace

Turned quarter_turns(const at::Tensor& images) {
  std::vector<at::Tensor> turned;
  std::vector<at::Tensor> turns;
  for (int64_t turn = 0; turn < 4; ++turn) {
    turned.push_back(at::rot90(images, turn, {2, 3}));
    turns.push_back(at::full({images.size(0)}, turn, at::kLong));
  }
  return {at::cat(turned).contiguous(), at::cat(turns)};
}

at::Tensor with_noise(const at::Tensor& images, double deviation, const at::Generator& generator) {
  return images + at::randn(images.sizes(), generator) * deviation;
}

at::Tensor other_view(const at::Tensor& images, const at::Generator& generator) {
  const int64_t count = images.size(0);
  const at::Tensor places =
      at::affine_grid_generator(random_frames(count, generator), images.sizes(), false);
  constexpr int64_t kBilinear = 0;
  constexpr int64_t kRepeatBorder = 1;
  const at::Tensor moved = at::grid_sampler(images, places, kBilinear, kRepeatBorder, false);
  const at::Tensor gains = at::rand({count, images.size(1), 1, 1}, generator) * 0.8 + 0.6;
  const at::Tensor shifts = at::rand({count, images.size(1), 1, 1}, generator) - 0.5;
  return with_noise(moved * gains + shifts, 0.1, generator);
}

at::Tensor contrastive_loss(const at::Tensor& first, const at::Tensor& second) {
  constexpr double kTemperature = 0.2;
  const int64_t count = first.size(0);
  const at::Tensor rows = at::cat({first, second});
  const at::Tensor unit = rows / at::linalg_vector_norm(rows, 2, {1}, true).clamp_min(1e-6);
  const at::Tensor itself = at::eye(2 * count, at::kBool);
  const at::Tensor similar = at::matmul(unit, unit.t()).div(kTemperature).masked_fill(itself, -1e9);
  const at::Tensor partner = at::roll(at::arange(2 * count, at::kLong), count);
  return at::cross_entropy_loss(similar, partner);
}

}  // namespace sprites
