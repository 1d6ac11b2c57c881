#include "search/drop_rule.h"

#include <algorithm>
#include <cmath>

#include "stats/jackknife.h"

namespace assay {
namespace {

// Of the difference on these samples, as an estimate for endlessly many.
double variance_of(const Sighting& model, const Sighting& leader, Index samples) {
  const double difference = model.value - leader.value;
  double squares = difference * difference / static_cast<double>(samples);
  for (std::size_t i = 0; i < model.contributions.size(); ++i) {
    const double apart = model.contributions[i] - leader.contributions[i];
    squares += apart * apart;
  }
  return squares;
}

double slope_of(const LookPlace& place, const Sighting& model) {
  return (model.value - model.before) / place.doublings_since();
}

// Of a slope's measurement, from that of the difference.
double slope_noise(const LookPlace& place, double variance) {
  const double growth = static_cast<double>(place.samples) / static_cast<double>(place.base);
  return variance * (growth - 1.0) / (place.doublings_since() * place.doublings_since());
}

bool comparable(const Sighting& model, const Sighting& leader) {
  return model.contributions.size() > 1 &&
         model.contributions.size() == leader.contributions.size();
}

}  // namespace

double LookPlace::doublings_since() const {
  return std::log2(static_cast<double>(samples) / static_cast<double>(base));
}

double LookPlace::doublings_left() const {
  return std::log2(static_cast<double>(all) / static_cast<double>(samples));
}

RaceLook look_at(const DropRule& rule, const LookPlace& place, const Sighting& model,
                 const Sighting& leader, double slopes) {
  RaceLook look{
      .samples = place.samples, .value = model.value, .difference = model.value - leader.value};
  if (place.samples >= place.all) {  // nothing is left to estimate
    look.high = look.difference;
    return look;
  }
  if (place.base == 0 || !comparable(model, leader)) return look;
  const double variance = variance_of(model, leader, place.samples);
  const double noise = slope_noise(place, variance);
  const double trust = slopes > 0.0 ? slopes / (slopes + noise) : 0.0;
  const double slope = trust * (slope_of(place, model) - slope_of(place, leader));
  const double left = place.doublings_left();
  const double unseen = 1.0 - static_cast<double>(place.samples) / static_cast<double>(place.all);
  look.drift = std::max(0.0, slope) * left;
  look.error = std::sqrt(variance * unseen + trust * noise * left * left);
  const double tail = (1.0 - rule.level) / static_cast<double>(rule.models * rule.looks);
  look.high = look.difference + look.drift +
              look.error * student_t_factor(1.0 - 2.0 * tail,
                                            static_cast<double>(model.contributions.size() - 1));
  return look;
}

double true_slopes(const LookPlace& place, std::span<const Sighting* const> models,
                   const Sighting& leader) {
  if (place.base == 0 || models.size() < 2) return 0.0;
  const auto count = static_cast<double>(models.size());
  double sum = 0.0;
  double squares = 0.0;
  double noise = 0.0;
  for (const Sighting* model : models) {
    const double slope = slope_of(place, *model) - slope_of(place, leader);
    sum += slope;
    squares += slope * slope;
    if (comparable(*model, leader))
      noise += slope_noise(place, variance_of(*model, leader, place.samples));
  }
  // The leader's own difference is none, so the noise is that of all others.
  const double measured = (squares - sum * sum / count) / (count - 1.0);
  return std::max(0.0, 2.0 * measured - noise / (count - 1.0));
}

}  // namespace assay
