#include "parts/part_share.h"

#include <fmt/format.h>

#include <utility>

namespace assay {

PartShare::PartShare(PartFile blank, std::function<void(const PartFile&)> write)
    : part_(std::move(blank)), write_(std::move(write)) {}

void PartShare::begin(const WorkList& list) { part_.list = list; }

void PartShare::keep(Index unit, UnitOutcome outcome) {
  const std::lock_guard lock(mutex_);
  part_.outcomes[unit] = std::move(outcome);
}

void PartShare::complete() {
  write_(part_);
  ShareDone done;
  for (const auto& [unit, outcome] : part_.outcomes) {
    if (outcome.error.empty()) continue;
    done.failed.push_back(fmt::format("'{}' failed, and the part says so: {}",
                                      part_.list.units[static_cast<std::size_t>(unit)],
                                      outcome.error));
  }
  throw done;  // NOLINT(misc-throw-by-value-catch-by-reference): a value, caught by reference
}

std::optional<UnitOutcome> PartShare::outcome(Index /*unit*/) const { return {}; }

}  // namespace assay
