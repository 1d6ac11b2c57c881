#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "core/text.h"
#include "curve/measures.h"

namespace assay {

// About four digits, thousands separated: 0.1234, 38.36, 700.9, 12,345.
inline std::string amount(double value) {
  const double size = std::abs(value);
  if (size >= 1000.0) return with_thousands(std::llround(value));
  return fmt::format("{:.{}f}", value, size >= 100.0 ? 1 : size >= 10.0 ? 2 : 4);
}

// Equal runs have no spread to show: with all rows every seed has the same ones.
inline std::string with_spread(double value, const std::optional<double>& sd) {
  return sd && *sd > 0.0 ? fmt::format("{} ±{}", amount(value), amount(*sd)) : amount(value);
}

inline std::string surplus_cell(const ToleranceMeasure& measure) {
  return fmt::format("{}{}", measure.lower_bound ? "> " : "", amount(measure.value));
}

inline std::string complexity_cell(const ToleranceMeasure& measure) {
  return fmt::format("{}{}", measure.lower_bound ? "> " : "",
                     with_thousands(std::llround(measure.value)));
}

inline std::string unit_of(LossKind kind) {
  if (kind == LossKind::nll) return "nats";
  return kind == LossKind::zero_one ? "errors" : "squared error";
}

}  // namespace assay
