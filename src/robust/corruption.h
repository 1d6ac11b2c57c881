#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "robust/attack.h"

namespace assay {

// Common corruptions of pictures, each at one moderate severity: Gaussian noise of
// sd 0.08, a 3 x 3 binomial blur applied twice, 2 x 2 blocks, brightness + 0.2, contrast halved.
enum class Corruption { noise, blur, pixelate, brightness, contrast };
inline constexpr std::array kCorruptions = {Corruption::noise, Corruption::blur,
                                            Corruption::pixelate, Corruption::brightness,
                                            Corruption::contrast};
std::string_view corruption_name(Corruption corruption);

// The pictures after it; values stay in [0, 1]. Noise depends on `seed` and the numbers of the
// pictures, the first being `first`.
UnitImages corrupted(const UnitImages& images, Corruption corruption, std::uint64_t seed,
                     Index first);

}  // namespace assay
