#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "assay/curve.h"
#include "core/text.h"
#include "curve/measures.h"

namespace assay {

// About four digits, thousands separated: 0.1234, 38.36, 700.9, 12,345.
inline std::string amount(double value) {
  const double size = std::abs(value);
  if (size >= 1000.0) return with_thousands(std::llround(value));
  return fmt::format("{:.{}f}", value, size >= 100.0 ? 1 : size >= 10.0 ? 2 : 4);
}

// An interval that rounds to one number is no interval to show.
inline std::string range_cell(const std::string& low, const std::string& high, bool more = false) {
  if (more) return fmt::format(" [{}-more]", low);
  return low == high ? std::string() : fmt::format(" [{}-{}]", low, high);
}

// With the 95 % interval, else the spread over seeds. Equal runs have no spread to show.
inline std::string with_spread(double value, const std::optional<double>& sd,
                               const std::optional<Range>& range = std::nullopt) {
  if (range) return amount(value) + range_cell(amount(range->low), amount(range->high));
  return sd && amount(*sd) != amount(0.0) ? fmt::format("{} ±{}", amount(value), amount(*sd))
                                          : amount(value);
}

inline std::string surplus_cell(const ToleranceMeasure& measure) {
  std::string text = fmt::format("{}{}", measure.lower_bound ? "> " : "", amount(measure.value));
  if (measure.range) text += range_cell(amount(measure.range->low), amount(measure.range->high));
  return text;
}

inline std::string complexity_cell(const ToleranceMeasure& measure) {
  const auto count = [](double rows) { return with_thousands(std::llround(rows)); };
  std::string text = (measure.lower_bound ? "> " : "") + count(measure.value);
  if (measure.range && !measure.lower_bound)
    text +=
        range_cell(count(measure.range->low), count(measure.range->high), measure.high_is_bound);
  return text;
}

inline std::string unit_of(LossKind kind) {
  if (kind == LossKind::nll) return "nats";
  return kind == LossKind::zero_one ? "errors" : "squared error";
}

}  // namespace assay
