#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <functional>

// What the pretexts do with images, apart from any network. Images are n x 3 x kSide x kSide.
namespace sprites {

struct Turned {
  at::Tensor images;
  at::Tensor turns;  // 0 ... 3 quarter turns
};

// All images as they are, then all turned by one, two and three quarters, counter-clockwise. (A
// batch that has every image in all four positions is learnt from far sooner than a mixed one.)
Turned quarter_turns(const at::Tensor& images);

at::Tensor with_noise(const at::Tensor& images, double deviation, const at::Generator& generator);

// Each image seen anew: a little nearer or farther, shifted, turned by at most half a radian,
// perhaps mirrored, every channel brighter or darker, with some noise.
at::Tensor other_view(const at::Tensor& images, const at::Generator& generator);

// NT-Xent (Chen et al., 2020): for every row of either view, the loss of picking its partner among
// all other rows, by cosine at temperature 0.2. Views are n x D.
at::Tensor contrastive_loss(const at::Tensor& first, const at::Tensor& second);

}  // namespace sprites
