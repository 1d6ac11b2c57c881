#include "robust/corruption.h"

#include <algorithm>
#include <numeric>

#include "core/counter_random.h"

namespace assay {
namespace {

using Plane = std::span<float>;

void add_noise(Plane picture, std::uint64_t seed, Index number) {
  constexpr float sd = 0.08F;
  std::vector<float> noise(picture.size());
  normal_row(seed, /*stream=*/7, number, std::span(noise));
  for (std::size_t i = 0; i < noise.size(); ++i) picture[i] += sd * noise[i];
}

// (1 2 1)/4 along one axis; the border repeats.
void smooth(Plane plane, Index size, Index along, Index across) {
  std::vector<float> line(static_cast<std::size_t>(size));
  for (Index row = 0; row < size; ++row) {
    const auto at = [&](Index i) {
      return static_cast<std::size_t>(row * across + std::clamp<Index>(i, 0, size - 1) * along);
    };
    for (Index i = 0; i < size; ++i) {
      line[static_cast<std::size_t>(i)] =
          0.25F * plane[at(i - 1)] + 0.5F * plane[at(i)] + 0.25F * plane[at(i + 1)];
    }
    for (Index i = 0; i < size; ++i) plane[at(i)] = line[static_cast<std::size_t>(i)];
  }
}

void blur(Plane plane, Index size) {
  for (int pass = 0; pass < 2; ++pass) {
    smooth(plane, size, 1, size);
    smooth(plane, size, size, 1);
  }
}

void pixelate(Plane plane, Index size) {
  constexpr Index block = 2;
  for (Index top = 0; top < size; top += block) {
    for (Index left = 0; left < size; left += block) {
      const Index bottom = std::min(top + block, size);
      const Index right = std::min(left + block, size);
      float sum = 0.0F;
      for (Index y = top; y < bottom; ++y)
        for (Index x = left; x < right; ++x) sum += plane[static_cast<std::size_t>(y * size + x)];
      const float mean = sum / static_cast<float>((bottom - top) * (right - left));
      for (Index y = top; y < bottom; ++y)
        for (Index x = left; x < right; ++x) plane[static_cast<std::size_t>(y * size + x)] = mean;
    }
  }
}

void brighten(Plane picture) {
  constexpr float more = 0.2F;
  for (float& value : picture) value += more;
}

void halve_contrast(Plane picture) {
  const double mean =
      std::accumulate(picture.begin(), picture.end(), 0.0) / static_cast<double>(picture.size());
  for (float& value : picture) value = static_cast<float>(0.5 * (value + mean));
}

}  // namespace

std::string_view corruption_name(Corruption corruption) {
  switch (corruption) {
    case Corruption::noise:
      return "noise";
    case Corruption::blur:
      return "blur";
    case Corruption::pixelate:
      return "pixelate";
    case Corruption::brightness:
      return "brightness";
    case Corruption::contrast:
      break;
  }
  return "contrast";
}

// Kinds of corruption as in Hendrycks and Dietterich, ICLR 2019, each at one severity of ours
// (corruption.h).
UnitImages corrupted(const UnitImages& images, Corruption corruption, std::uint64_t seed,
                     Index first) {
  UnitImages out = images;
  const auto length = static_cast<std::size_t>(images.length());
  const std::size_t plane = length / 3;
  for (Index i = 0; i < images.count; ++i) {
    const Plane picture =
        std::span(out.pixels).subspan(static_cast<std::size_t>(i) * length, length);
    if (corruption == Corruption::noise) add_noise(picture, seed, first + i);
    if (corruption == Corruption::brightness) brighten(picture);
    if (corruption == Corruption::contrast) halve_contrast(picture);
    for (std::size_t c = 0; c < 3; ++c) {
      const Plane channel = picture.subspan(c * plane, plane);
      if (corruption == Corruption::blur) blur(channel, images.size);
      if (corruption == Corruption::pixelate) pixelate(channel, images.size);
    }
  }
  for (float& value : out.pixels) value = std::clamp(value, 0.0F, 1.0F);
  return out;
}

}  // namespace assay
