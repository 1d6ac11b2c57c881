#include "learn/rate_schedule.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "assay/error.h"

namespace assay {

RateSchedule parse_schedule(const std::string& text) {
  for (const RateSchedule one : {RateSchedule::constant, RateSchedule::step, RateSchedule::cosine})
    if (schedule_name(one) == text) return one;
  fail_input(fmt::format("'{}' is no schedule; expected constant, step or cosine", text));
}

std::string schedule_name(RateSchedule schedule) {
  switch (schedule) {
    case RateSchedule::constant:
      return "constant";
    case RateSchedule::step:
      return "step";
    case RateSchedule::cosine:
      break;
  }
  return "cosine";
}

double rate_factor(RateSchedule schedule, Index epoch, Index epochs) {
  constexpr double decayed = 0.1;
  switch (schedule) {
    case RateSchedule::constant:
      return 1.0;
    case RateSchedule::step:
      return 3 * epoch < 2 * epochs ? 1.0 : decayed;
    case RateSchedule::cosine:
      break;
  }
  return 0.5 * (1.0 + std::cos(std::numbers::pi * static_cast<double>(epoch) /
                               static_cast<double>(epochs)));
}

}  // namespace assay
