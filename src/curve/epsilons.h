#pragma once

#include <string_view>
#include <vector>

namespace assay {

// Tolerances from a list of numbers and `from:CURVE.json`, the loss that the best model of an
// earlier result reaches with all its rows (`from:CURVE.json:NAME`: that model's). Each once, in
// the order given. Throws Error for negative numbers and unreadable files.
std::vector<double> parse_epsilons(std::string_view list);

}  // namespace assay
