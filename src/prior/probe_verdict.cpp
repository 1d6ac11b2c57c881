#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/text.h"
#include "prior/prior_report.h"
#include "stats/jackknife.h"

namespace assay {
namespace {

constexpr double kLevel = 0.95;

std::vector<const ProbedModel*> best_probed(const ProbeTasksResult& result) {
  std::vector<const ProbedModel*> order;
  for (const ProbedModel& model : result.models) order.push_back(&model);
  std::ranges::stable_sort(order, std::greater{},
                           [](const ProbedModel* model) { return model->mean(); });
  return order;
}

// Half of the interval of a mean over tasks; 0 where there is one task only.
double half_over_tasks(const Vector& values, double level) {
  const auto tasks = static_cast<double>(values.size());
  if (values.size() < 2) return 0.0;
  const double squares = (values.array() - values.mean()).square().sum();
  return student_t_factor(level, tasks - 1.0) * std::sqrt(squares / (tasks - 1.0) / tasks);
}

// Whether any model is above guessing is asked of all of them, and one tail is of interest.
bool any_beats_guessing(const ProbeTasksResult& result) {
  const double level = 1.0 - 2.0 * (1.0 - kLevel) / static_cast<double>(result.models.size());
  return result.tasks > 1 && std::ranges::any_of(result.models, [&](const ProbedModel& model) {
           return model.mean() - half_over_tasks(model.accuracy, level) > result.chance;
         });
}

std::string guessing_text(const ProbeTasksResult& result) {
  return fmt::format(
      "{} always naming the commonest class gives {:.4f}.",
      any_beats_guessing(result) ? " Guessing," : " No model is shown to beat guessing:",
      result.chance);
}

}  // namespace

std::vector<std::string> not_separable_from_best_probe(const ProbeTasksResult& result) {
  const std::vector<const ProbedModel*> order = best_probed(result);
  std::vector<std::string> tied;
  if (order.size() < 2) return tied;
  const double each = 1.0 - (1.0 - kLevel) / static_cast<double>(order.size() - 1);
  for (std::size_t k = 1; k < order.size(); ++k) {
    const Vector differences = order[0]->accuracy - order[k]->accuracy;
    const double half = half_over_tasks(differences, each);
    if (differences.size() < 2 || differences.mean() <= half) tied.push_back(order[k]->name);
  }
  return tied;
}

std::string probed_tasks_verdict(const ProbeTasksResult& result) {
  const std::vector<const ProbedModel*> order = best_probed(result);
  if (order.empty()) return "There is no model.";
  const ProbedModel& best = *order.front();
  const std::string tasks =
      fmt::format("{} sampled task{}", with_thousands(result.tasks), result.tasks == 1 ? "" : "s");
  const std::string mean = result.tasks < 2
                               ? fmt::format("{:.4f}", best.mean())
                               : fmt::format("{:.4f} ± {:.4f} (95 % over tasks)", best.mean(),
                                             half_over_tasks(best.accuracy, kLevel));
  const std::string guessing = guessing_text(result);
  const std::vector<std::string> tied = not_separable_from_best_probe(result);
  if (order.size() == 1)
    return fmt::format("{} has a mean held-out accuracy of {} over {}; there is no other model.{}",
                       best.name, mean, tasks, guessing);
  if (!tied.empty()) {
    const std::string rivals =
        tied.size() <= 4 ? listed(tied)
                         : fmt::format("{}, {} and {} others", tied[0], tied[1], tied.size() - 2);
    return fmt::format(
        "{} has the highest mean held-out accuracy over {} but is not separable from {}: {}.{}",
        best.name, tasks, rivals, mean, guessing);
  }
  return fmt::format(
      "{} does best over {}: a mean held-out accuracy of {}, above every other model at 95 % "
      "confidence; {} follows with {:.4f}.{}",
      best.name, tasks, mean, order[1]->name, order[1]->mean(), guessing);
}

}  // namespace assay
