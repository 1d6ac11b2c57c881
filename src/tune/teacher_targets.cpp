#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "assay/tune.h"
#include "hub/open_rows.h"
#include "metrics/logme_regression.h"

namespace assay {

std::vector<double> teacher_weights(std::span<const double> logme, double temperature) {
  if (!(temperature > 0.0) || !std::isfinite(temperature))
    fail_input(fmt::format("`temperature` {}: expected a number above 0", temperature));
  if (logme.empty()) fail_input("no teachers: name at least one");
  const double best = std::ranges::max(logme);
  std::vector<double> weights;
  double total = 0.0;
  for (const double score : logme) {
    weights.push_back(std::exp((score - best) / temperature));
    total += weights.back();
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

TeacherTargets teacher_targets(ThreadPool& pool, std::span<const Model> teachers,
                               const RowSource& initial, const Targets& targets, double temperature,
                               Index memory_limit) {
  const FittedFeatures learner = fit_features(pool, initial, targets, memory_limit);
  TeacherTargets out{learner.columns, {}, learner.fit->weights, {}, {}};
  std::vector<Matrix> means;
  for (const Model& teacher : teachers) {
    const Rows rows = open_rows(teacher);
    const FittedFeatures fitted = fit_features(pool, *rows, targets, memory_limit);
    out.logme.push_back(fitted.score.value);
    means.push_back(predicted_means(pool, fitted, *rows));
  }
  out.weights = teacher_weights(out.logme, temperature);
  out.targets = Matrix::Zero(initial.rows(), static_cast<Index>(out.columns.size()));
  for (std::size_t k = 0; k < means.size(); ++k) out.targets += out.weights[k] * means[k];
  return out;
}

}  // namespace assay
