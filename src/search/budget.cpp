#include "search/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/error.h"
#include "core/clock.h"
#include "io/csv.h"

namespace assay {
namespace {

struct Suffix {
  std::string_view text;
  SearchBudget::Unit unit;
  double factor;
};
constexpr std::array<Suffix, 8> kSuffixes = {{{"%", SearchBudget::Unit::share, 0.01},
                                              {"-images", SearchBudget::Unit::passes, 1.0},
                                              {"-rows", SearchBudget::Unit::passes, 1.0},
                                              {"-passes", SearchBudget::Unit::passes, 1.0},
                                              {"min", SearchBudget::Unit::seconds, 60.0},
                                              {"m", SearchBudget::Unit::seconds, 60.0},
                                              {"h", SearchBudget::Unit::seconds, 3600.0},
                                              {"s", SearchBudget::Unit::seconds, 1.0}}};

}  // namespace

SearchBudget parse_budget(std::string_view text) {
  for (const Suffix& suffix : kSuffixes) {
    if (!text.ends_with(suffix.text)) continue;
    const std::optional<double> number =
        number_in(text.substr(0, text.size() - suffix.text.size()));
    if (!number || !std::isfinite(*number) || *number <= 0.0) continue;
    const SearchBudget budget{suffix.unit, *number * suffix.factor, std::string(text)};
    if (budget.unit == SearchBudget::Unit::share && budget.amount > 1.0) continue;
    return budget;
  }
  fail_input(
      fmt::format("`budget` {}: expected a share of a full run such as 25%, images over all models "
                  "such as 5000-images, or a time such as 90s, 30min or 2h",
                  text));
}

double samples_each(const SearchBudget& budget, Index models, Index samples) {
  const auto all = static_cast<double>(samples);
  if (budget.unit == SearchBudget::Unit::passes)
    return std::min(all, budget.amount / static_cast<double>(models));
  return all * (budget.unit == SearchBudget::Unit::share ? budget.amount : SearchBudget{}.amount);
}

Purse::Purse(const SearchBudget& budget, Index models, Index samples)
    : by_time_(budget.unit == SearchBudget::Unit::seconds),
      amount_(budget.amount),
      started_(monotonic_seconds()) {
  if (budget.unit == SearchBudget::Unit::share)
    amount_ = std::floor(amount_ * static_cast<double>(models) * static_cast<double>(samples));
}

double Purse::price(Index samples, double seconds_per_sample) const {
  return static_cast<double>(samples) * (by_time_ ? seconds_per_sample : 1.0);
}

double Purse::left() const {
  return amount_ - (by_time_ ? monotonic_seconds() - started_ : passes_);
}

}  // namespace assay
