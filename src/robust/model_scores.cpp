#include "robust/model_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "core/text.h"
#include "robust/influence.h"

namespace assay {
namespace {

// One budget at all scales.
struct BudgetScales {
  std::vector<ScalePoint> points;
  std::vector<SampleInfluence> influences;
  std::string not_debiased;  // the first reason of any scale
};

BudgetScales of_budget(const std::vector<ScaleMeasurement>& scales, std::size_t budget) {
  BudgetScales out;
  for (const ScaleMeasurement& scale : scales) {
    out.points.push_back(scale.points[budget]);
    out.influences.push_back(scale.influences[budget]);
    if (out.not_debiased.empty()) out.not_debiased = scale.not_debiased[budget];
  }
  return out;
}

SynbenchScore score_at(const BudgetScales& scales, double threshold, double class_prior) {
  SynbenchScore out;
  out.threshold = threshold;
  out.value = synbench_value(scales.points, threshold);
  out.expected = synbench_expected(scales.points, threshold);
  out.reason = scales.not_debiased;
  if (!out.value) {
    out.reason = "the raw data themselves do not reach the threshold at any scale that counts";
    return out;
  }
  out.value_se = value_error(scales.points, scales.influences, threshold);
  if (!scales.not_debiased.empty()) return out;
  out.calibrated = synbench_calibrated(scales.points, threshold);
  out.calibrated_se = calibrated_error(scales.points, scales.influences, threshold, class_prior);
  return out;
}

SynbenchScore refused(double threshold, double lowest) {
  SynbenchScore out;
  out.threshold = threshold;
  out.reason = fmt::format(
      "the threshold is within two standard errors of naming the larger class; from {:.3f} on",
      lowest);
  return out;
}

Index count(const std::vector<ScalePoint>& points, PointStatus status) {
  return std::count_if(points.begin(), points.end(),
                       [&](const ScalePoint& point) { return point.status == status; });
}

void add_notes(SynbenchModel& model, const SynbenchRequest& request) {
  constexpr Index enough = 5;  // samples per dimension
  if (model.train < enough * model.dim) {
    model.notes.push_back(fmt::format(
        "{} samples for {} dimensions: below 5 per dimension the plain value is far too low; read "
        "the calibrated one",
        with_thousands(model.train), with_thousands(model.dim)));
  }
  std::vector<std::string> reasons;
  for (const SynbenchScore& score : model.scores) {
    if (score.reason.empty() || std::ranges::count(reasons, score.reason) > 0) continue;
    reasons.push_back(score.reason);
    model.notes.push_back(fmt::format("epsilon {}, threshold {}: no {}score: {}", score.epsilon,
                                      score.threshold, score.value ? "calibrated " : "",
                                      score.reason));
  }
  if (const Index empty = count(model.points.front(), PointStatus::degenerate); empty > 0) {
    model.notes.push_back(fmt::format(
        "at {} of {} scales the representation does not vary, or not between the classes; they "
        "count as accuracy 0",
        empty, model.scales.size()));
  }
  for (std::size_t e = 0; e < request.epsilons.size(); ++e) {
    const Index dropped = count(model.points[e], PointStatus::out_of_reach);
    const Index open = count(model.points[e], PointStatus::not_converged);
    if (dropped > 0) {
      model.notes.push_back(fmt::format(
          "epsilon {}: {} of {} scales are left out, their classes are no further apart",
          request.epsilons[e], dropped, model.scales.size()));
    }
    if (open > 0) {
      model.notes.push_back(
          fmt::format("epsilon {}: the classifiers of {} of {} scales did not converge",
                      request.epsilons[e], open, model.scales.size()));
    }
  }
}

}  // namespace

double lowest_threshold(double class_prior, Index samples) {
  const double error = std::sqrt(class_prior * (1.0 - class_prior) / static_cast<double>(samples));
  return std::max(class_prior, 1.0 - class_prior) + 2.0 * error;
}

std::optional<double> clear_best_epsilon(std::span<const SynbenchScore> scores) {
  if (std::ranges::any_of(scores, [](const SynbenchScore& one) { return !one.calibrated; }))
    return std::nullopt;
  const auto best = std::ranges::max_element(
      scores, {}, [](const SynbenchScore& one) { return *one.calibrated; });
  if (!(*best->calibrated > 0.0)) return std::nullopt;
  for (auto other = scores.begin(); other != scores.end(); ++other) {
    const double error = std::max(*best->calibrated_se, *other->calibrated_se);
    if (other != best && *best->calibrated - *other->calibrated <= error) return std::nullopt;
  }
  return best->epsilon;
}

void score_measurements(const std::vector<ScaleMeasurement>& scales, const SynbenchRequest& request,
                        SynbenchModel& model) {
  std::vector<BudgetScales> budgets;
  for (std::size_t e = 0; e < request.epsilons.size(); ++e) {
    budgets.push_back(of_budget(scales, e));
    model.points.push_back(budgets.back().points);
  }
  const double lowest = lowest_threshold(request.class_prior, model.test);
  if (std::ranges::all_of(request.thresholds, [&](double one) { return one < lowest; })) {
    fail_input(fmt::format(
        "`threshold`: naming the larger class is right {:.3g} of the time, and with {} samples to "
        "measure accuracies count from {:.3f} on; name a higher one",
        std::max(request.class_prior, 1.0 - request.class_prior), with_thousands(model.test),
        lowest));
  }
  for (const double threshold : request.thresholds) {
    for (std::size_t e = 0; e < request.epsilons.size(); ++e) {
      model.scores.push_back(threshold < lowest
                                 ? refused(threshold, lowest)
                                 : score_at(budgets[e], threshold, request.class_prior));
      model.scores.back().epsilon = request.epsilons[e];
    }
    model.best_epsilons.push_back(
        clear_best_epsilon(std::span(model.scores).last(request.epsilons.size())));
  }
  add_notes(model, request);
}

}  // namespace assay
