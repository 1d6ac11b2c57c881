#pragma once

#include <optional>
#include <span>

namespace assay {

// How much more one part of a score varies over the models of a hub than the other: the ratio of
// their robust standard deviations (median absolute deviations). Infinite when only the second does
// not vary at all; nothing when neither does, or with fewer than four models.
std::optional<double> balance_of(std::span<const double> first, std::span<const double> second);

// False where the ratio is nearer to ten, or to a tenth, than to one: one part alone then
// determines the order of the models (PACTran, appendix B.5: "too high of a ratio (>= 10)" and "too
// low of a ratio (<= 0.1)", the best "around 1.0").
bool is_balanced(double ratio);

}  // namespace assay
