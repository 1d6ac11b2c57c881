#include "robust/corruption.h"

#include <algorithm>
#include <cassert>

namespace assay {
namespace {

void corrupt(const Picture& picture, Corruption corruption, double strength, Random& random) {
  switch (corruption) {
    case Corruption::gaussian_noise:
      return add_gaussian_noise(picture, strength, random);
    case Corruption::shot_noise:
      return add_shot_noise(picture, strength, random);
    case Corruption::impulse_noise:
      return add_impulse_noise(picture, strength, random);
    case Corruption::defocus_blur:
      return blur_by_defocus(picture, strength);
    case Corruption::glass_blur:
      return blur_by_glass(picture, strength, random);
    case Corruption::motion_blur:
      return blur_by_motion(picture, strength, random);
    case Corruption::zoom_blur:
      return blur_by_zoom(picture, strength);
    case Corruption::snow:
      return add_snow(picture, strength, random);
    case Corruption::frost:
      return add_frost(picture, strength, random);
    case Corruption::fog:
      return add_fog(picture, strength, random);
    case Corruption::brightness:
      return brighten(picture, strength);
    case Corruption::contrast:
      return lower_contrast(picture, strength);
    case Corruption::elastic:
      return deform(picture, strength, random);
    case Corruption::pixelate:
      return pixelate(picture, strength);
    case Corruption::jpeg:
      return compress(picture, strength);
  }
}

}  // namespace

std::string_view corruption_name(Corruption corruption) {
  constexpr std::array<std::string_view, kCorruptions.size()> names = {
      "gaussian_noise", "shot_noise", "impulse_noise", "defocus_blur", "glass_blur",
      "motion_blur",    "zoom_blur",  "snow",          "frost",        "fog",
      "brightness",     "contrast",   "elastic",       "pixelate",     "jpeg"};
  return names[static_cast<std::size_t>(corruption)];
}

UnitImages corrupted(const UnitImages& images, Corruption corruption, int severity,
                     std::uint64_t seed, Index first) {
  assert(severity >= 1 && severity <= kSeverities);
  UnitImages out = images;
  const double strength = static_cast<double>(severity) / kSeverities;
  const auto length = static_cast<std::size_t>(images.length());
  const std::uint64_t own = mixed_seed(seed, static_cast<std::uint64_t>(corruption) + 1);
  for (Index i = 0; i < images.count; ++i) {
    Random random(mixed_seed(own, static_cast<std::uint64_t>(first + i)));
    const std::span<float> values =
        std::span(out.pixels).subspan(static_cast<std::size_t>(i) * length, length);
    corrupt({values, images.size}, corruption, strength, random);
  }
  for (float& value : out.pixels) value = std::clamp(value, 0.0F, 1.0F);
  return out;
}

}  // namespace assay
