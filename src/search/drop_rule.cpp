#include "search/drop_rule.h"

#include <algorithm>
#include <cmath>

#include "stats/jackknife.h"

namespace assay {
namespace {

// Value of the look at `samples`, if there was one.
const RaceLook* look_with(std::span<const RaceLook> looks, Index samples) {
  const auto found = std::ranges::find(looks, samples, &RaceLook::samples);
  return found == looks.end() ? nullptr : &*found;
}

// Mean change of the difference per doubling, over as long a stretch as two doublings.
std::optional<double> slope_of(const DropRule& rule, Index samples, double difference,
                               std::span<const RaceLook> model, std::span<const RaceLook> leader) {
  constexpr std::size_t stretch = 2;
  for (std::size_t back = std::min(stretch, model.size()); back > 0; --back) {
    const RaceLook& then = model[model.size() - back];
    const RaceLook* const other = look_with(leader, then.samples);
    if (other == nullptr || then.samples < rule.telling) continue;
    const double doublings =
        std::log2(static_cast<double>(samples) / static_cast<double>(then.samples));
    return (difference - (then.value - other->value)) / doublings;
  }
  return {};
}

double error_of(const Sighting& model, const Sighting& leader, double difference, double samples,
                double all) {
  double squares = difference * difference / samples;
  for (std::size_t i = 0; i < model.contributions.size(); ++i) {
    const double apart = model.contributions[i] - leader.contributions[i];
    squares += apart * apart;
  }
  return std::sqrt(squares * std::max(0.0, 1.0 - samples / all));
}

}  // namespace

RaceLook look_at(const DropRule& rule, Index samples, const Sighting& model, const Sighting& leader,
                 std::span<const RaceLook> before, std::span<const RaceLook> leader_before) {
  RaceLook look{.samples = samples,
                .value = model.value,
                .difference = model.value - leader.value};
  const std::size_t units = model.contributions.size();
  if (samples >= rule.samples) {  // nothing is left to estimate
    look.high = look.difference;
    return look;
  }
  const std::optional<double> slope = slope_of(rule, samples, look.difference, before, leader_before);
  if (units < 2 || units != leader.contributions.size() || !slope) return look;
  const auto seen = static_cast<double>(samples);
  const auto all = static_cast<double>(rule.samples);
  const double tail = (1.0 - rule.level) / static_cast<double>(rule.models * rule.looks);
  look.error = error_of(model, leader, look.difference, seen, all);
  look.drift = std::max(0.0, *slope) * std::log2(all / seen);
  look.high = look.difference + look.drift +
              student_t_factor(1.0 - 2.0 * tail, static_cast<double>(units - 1)) * look.error;
  return look;
}

}  // namespace assay
