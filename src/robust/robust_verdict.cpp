#include "robust/robust_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/text.h"
#include "stats/jackknife.h"

namespace assay {
namespace {

constexpr double kLevel = 0.95;
constexpr double kQuantile = 1.96;    // of kLevel, as in the table
constexpr double kManyDegrees = 1e6;  // Student's t is then the normal distribution

const SynbenchScore* score_at(const SynbenchModel& model, const JudgedAt& at) {
  for (const SynbenchScore& score : model.scores)
    if (score.epsilon == at.epsilon && score.threshold == at.threshold) return &score;
  return nullptr;
}

bool all_calibrated(const SynbenchResult& result, const JudgedAt& at) {
  return std::ranges::all_of(result.models, [&](const SynbenchModel& model) {
    const SynbenchScore* score = score_at(model, at);
    return score == nullptr || !score->value || score->calibrated;
  });
}

bool is_above(const JudgedModel& best, const JudgedModel& other, double quantile) {
  if (!best.half || !other.half) return false;
  const double error = std::hypot(*best.half, *other.half) / kQuantile;
  return best.value - other.value > quantile * error;
}

std::string value_text(const JudgedModel& model) {
  return model.half ? fmt::format("{:.3f} ± {:.3f}", model.value, *model.half)
                    : fmt::format("{:.3f}, its error unknown", model.value);
}

std::string rivals_text(const JudgedModels& judged) {
  constexpr std::size_t most = 4;
  std::vector<std::string> rivals;
  for (const JudgedModel& model : judged.models) {
    const auto& tied = judged.not_separable;
    if (std::ranges::find(tied, model.name) == tied.end()) continue;
    rivals.push_back(fmt::format("{} ({})", model.name, value_text(model)));
  }
  if (rivals.size() <= most) return listed(rivals);
  return fmt::format("{}, {} and {} others", rivals[0], rivals[1], rivals.size() - 2);
}

// At which other epsilons somebody else is first.
std::string elsewhere(const SynbenchResult& result, const SynbenchRequest& request,
                      const JudgedAt& at, const std::string& best) {
  std::vector<std::string> others;
  for (const double epsilon : request.epsilons) {
    const JudgedModels judged = judge_models(result, {epsilon, at.threshold});
    if (judged.models.empty() || judged.models.front().name == best) continue;
    others.push_back(fmt::format("{} at ε = {}", judged.models.front().name, epsilon));
  }
  if (others.empty()) return "";
  return fmt::format(" Elsewhere another model has the highest score: {}.", listed(others));
}

}  // namespace

JudgedAt judged_at(const SynbenchRequest& request) {
  JudgedAt at{request.epsilons.front(), request.thresholds.front()};
  std::optional<double> smallest;
  for (const double epsilon : request.epsilons)
    if (epsilon > 0.0 && (!smallest || epsilon < *smallest)) smallest = epsilon;
  if (smallest) at.epsilon = *smallest;
  return at;
}

JudgedModels judge_models(const SynbenchResult& result, const JudgedAt& at) {
  JudgedModels judged;
  judged.calibrated = all_calibrated(result, at);
  for (const SynbenchModel& model : result.models) {
    const SynbenchScore* score = score_at(model, at);
    if (score == nullptr || !score->value) continue;
    const auto& value = judged.calibrated ? score->calibrated : score->value;
    const auto& error = judged.calibrated ? score->calibrated_se : score->value_se;
    judged.models.push_back(
        {model.name, *value, error ? std::optional(kQuantile * *error) : std::nullopt});
  }
  std::ranges::stable_sort(judged.models, std::greater{}, &JudgedModel::value);
  const auto others = static_cast<double>(judged.models.size()) - 1.0;
  if (others < 1.0) return judged;
  const double quantile = student_t_factor(1.0 - (1.0 - kLevel) / others, kManyDegrees);
  for (std::size_t k = 1; k < judged.models.size(); ++k) {
    if (!is_above(judged.models.front(), judged.models[k], quantile))
      judged.not_separable.push_back(judged.models[k].name);
  }
  return judged;
}

std::string robust_verdict(const SynbenchResult& result, const SynbenchRequest& request) {
  const JudgedAt at = judged_at(request);
  const JudgedModels judged = judge_models(result, at);
  const std::string where =
      fmt::format("at ε = {} and a threshold accuracy of {}", at.epsilon, at.threshold);
  if (judged.models.empty()) return fmt::format("No score could be found for any model {}.", where);
  const JudgedModel& best = judged.models.front();
  const std::string scale = judged.calibrated
                                ? "where 1 is the raw data"
                                : "measured, because not every model has a calibrated one";
  const std::string numbers = fmt::format("{} {}, {}", value_text(best), where, scale);
  const std::string rest = elsewhere(result, request, at, best.name);
  if (judged.models.size() == 1)
    return fmt::format("{} has a score of {}. There is no other to compare it with.{}", best.name,
                       numbers, rest);
  if (!judged.not_separable.empty())
    return fmt::format("{} has the highest score but is not separable from {}. Its score is {}.{}",
                       best.name, rivals_text(judged), numbers, rest);
  const JudgedModel& second = judged.models[1];
  return fmt::format(
      "{} keeps most of what the raw data allow: a score of {}. At 95 % confidence it is above "
      "every "
      "other model; {} follows with {}.{}",
      best.name, numbers, second.name, value_text(second), rest);
}

}  // namespace assay
