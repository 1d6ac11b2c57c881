#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/random.h"
#include "robust/attack.h"

namespace assay {

// Things that happen to pictures by themselves: the fifteen kinds that CIFAR10-C made usual, made
// here in our own way, each in five severities. Lengths (blur, shifts, blocks) are shares of the
// side of the picture, so that they mean the same at every size.
enum class Corruption {
  gaussian_noise,
  shot_noise,
  impulse_noise,
  defocus_blur,
  glass_blur,
  motion_blur,
  zoom_blur,
  snow,
  frost,
  fog,
  brightness,
  contrast,
  elastic,
  pixelate,
  jpeg
};
inline constexpr std::array kCorruptions = {Corruption::gaussian_noise,
                                            Corruption::shot_noise,
                                            Corruption::impulse_noise,
                                            Corruption::defocus_blur,
                                            Corruption::glass_blur,
                                            Corruption::motion_blur,
                                            Corruption::zoom_blur,
                                            Corruption::snow,
                                            Corruption::frost,
                                            Corruption::fog,
                                            Corruption::brightness,
                                            Corruption::contrast,
                                            Corruption::elastic,
                                            Corruption::pixelate,
                                            Corruption::jpeg};
inline constexpr int kSeverities = 5;

std::string_view corruption_name(Corruption corruption);

// The pictures after it; values stay in [0, 1]. What is random depends on `seed`, the kind and the
// numbers of the pictures, the first being `first`, so a severer picture has the same pattern.
UnitImages corrupted(const UnitImages& images, Corruption corruption, int severity,
                     std::uint64_t seed, Index first);

// One picture of three planes, size x size. `strength` is the severity over five, in (0, 1].
struct Picture {
  std::span<float> values;
  Index size = 0;
  std::span<float> plane(Index c) const {
    const auto area = static_cast<std::size_t>(size * size);
    return values.subspan(static_cast<std::size_t>(c) * area, area);
  }
};

void add_gaussian_noise(const Picture& picture, double strength, Random& random);
void add_shot_noise(const Picture& picture, double strength, Random& random);
void add_impulse_noise(const Picture& picture, double strength, Random& random);

void blur_by_defocus(const Picture& picture, double strength);
void blur_by_glass(const Picture& picture, double strength, Random& random);
void blur_by_motion(const Picture& picture, double strength, Random& random);
void blur_by_zoom(const Picture& picture, double strength);

void add_snow(const Picture& picture, double strength, Random& random);
void add_frost(const Picture& picture, double strength, Random& random);
void add_fog(const Picture& picture, double strength, Random& random);
void brighten(const Picture& picture, double strength);

void lower_contrast(const Picture& picture, double strength);
void deform(const Picture& picture, double strength, Random& random);
void pixelate(const Picture& picture, double strength);
void compress(const Picture& picture, double strength);

}  // namespace assay
