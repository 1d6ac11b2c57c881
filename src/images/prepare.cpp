#include "images/prepare.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/random.h"
#include "images/resize.h"

namespace assay {
namespace {

// Largest centred crop whose ratio of width to height is within bounds.
ViewBox centred(Index height, Index width, double least, double most) {
  const double ratio = static_cast<double>(width) / static_cast<double>(height);
  Index h = height;
  Index w = width;
  if (ratio < least) h = std::max<Index>(1, std::lround(static_cast<double>(width) / least));
  if (ratio > most) w = std::max<Index>(1, std::lround(static_cast<double>(height) * most));
  return {(height - h) / 2, (width - w) / 2, h, w, false};
}

// The shorter side becomes floor(size / share) pixels, the other one keeps the proportions; the
// square lies in the middle. Rounded as timm and torchvision round.
ResizeTo centre_of(Index height, Index width, Index size, double share) {
  const auto shorter = static_cast<Index>(std::floor(static_cast<double>(size) / share));
  const Index least = std::min(height, width);
  const Index to_height = height == least ? shorter : shorter * height / least;
  const Index to_width = width == least ? shorter : shorter * width / least;
  const auto half = [](Index rest) {  // Python's round: ties to even
    return static_cast<Index>(std::nearbyint(static_cast<double>(rest) / 2.0));
  };
  return {to_height, to_width, half(to_height - size), half(to_width - size), size, size};
}

void mirror(std::span<float> planes, Index size) {
  for (Index row = 0; row < 3 * size; ++row) {
    float* first = planes.data() + row * size;
    std::reverse(first, first + size);
  }
}

}  // namespace

ViewBox view_box(Index image_height, Index image_width, std::uint64_t seed, Index image, Index view,
                 double least_area) {
  if (view == 0) return {0, 0, image_height, image_width, false};
  constexpr double least_ratio = 3.0 / 4.0;
  constexpr double most_ratio = 4.0 / 3.0;
  constexpr int tries = 10;
  Random random(mixed_seed(mixed_seed(seed, static_cast<std::uint64_t>(image)),
                           static_cast<std::uint64_t>(view)));
  const bool flipped = random.uniform() < 0.5;
  const auto area = static_cast<double>(image_height * image_width);
  for (int attempt = 0; attempt < tries; ++attempt) {
    const double part = area * (least_area + (1.0 - least_area) * random.uniform());
    const double ratio = std::exp(
        std::log(least_ratio) + (std::log(most_ratio) - std::log(least_ratio)) * random.uniform());
    const Index width = std::lround(std::sqrt(part * ratio));
    const Index height = std::lround(std::sqrt(part / ratio));
    if (width < 1 || height < 1 || width > image_width || height > image_height) continue;
    const Index top = random.below(image_height - height + 1);
    const Index left = random.below(image_width - width + 1);
    return {top, left, height, width, flipped};
  }
  ViewBox box = centred(image_height, image_width, least_ratio, most_ratio);
  box.flipped = flipped;
  return box;
}

void prepare_image(const Image& image, const ViewBox& box, const Preprocessing& preprocessing,
                   std::span<float> out) {
  const Index size = preprocessing.input_size;
  const Index plane = size * size;
  assert(static_cast<Index>(out.size()) == 3 * plane);
  const bool whole = box.height == image.height && box.width == image.width;
  const ResizeTo target = whole && preprocessing.crop_pct > 0.0
                              ? centre_of(image.height, image.width, size, preprocessing.crop_pct)
                              : ResizeTo::all(size, size);
  resize(image.view().crop(box.top, box.left, box.height, box.width), target,
         preprocessing.interpolation, out);
  if (box.flipped) mirror(out, size);
  if (preprocessing.bgr) std::swap_ranges(out.data(), out.data() + plane, out.data() + 2 * plane);
  for (Index c = 0; c < 3; ++c) {
    const auto channel = static_cast<std::size_t>(c);
    // (x / scale - mean) / std as one product and sum.
    const auto slope =
        static_cast<float>(1.0 / (preprocessing.input_scale * preprocessing.std[channel]));
    const auto offset =
        static_cast<float>(-preprocessing.mean[channel] / preprocessing.std[channel]);
    float* values = out.data() + c * plane;
    for (Index k = 0; k < plane; ++k) values[k] = slope * values[k] + offset;
  }
}

}  // namespace assay
