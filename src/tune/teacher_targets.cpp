#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "assay/tune.h"
#include "data/row_blocks.h"
#include "data/subset.h"
#include "hub/open_rows.h"
#include "metrics/left_out_fit.h"
#include "metrics/logme_regression.h"

namespace assay {
namespace {

// What the fit to all other rows says of each.
Matrix left_out_means(ThreadPool& pool, const FittedFeatures& fitted, const RowSource& rows,
                      const Targets& targets) {
  const LeftOutFit left(*fitted.fit);
  Matrix means(rows.rows(), fitted.fit->weights.cols());
  for_row_blocks(pool, rows, [&](Index first, const Matrix& samples) {
    std::vector<Index> part(static_cast<std::size_t>(samples.cols()));
    std::iota(part.begin(), part.end(), first);
    means.middleRows(first, samples.cols()) =
        left.predictions(samples, 1, target_matrix(targets, part).transpose()).transpose();
  });
  return means;
}

}  // namespace

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
                               Index memory_limit, TeacherFit fit) {
  const bool center = centered_by_default(targets.kind);
  const FittedFeatures learner = fit_features(pool, initial, targets, memory_limit, center);
  TeacherTargets out{learner.columns, {}, learner.fit->weights, learner.fit->intercept, {}, {}};
  std::vector<Matrix> means;
  for (const Model& teacher : teachers) {
    const Rows rows = open_rows(teacher);
    const FittedFeatures fitted = fit_features(pool, *rows, targets, memory_limit, center);
    out.logme.push_back(fitted.score.value);
    means.push_back(fit == TeacherFit::in_sample ? predicted_means(pool, fitted, *rows)
                                                 : left_out_means(pool, fitted, *rows, targets));
  }
  out.weights = teacher_weights(out.logme, temperature);
  out.targets = Matrix::Zero(initial.rows(), static_cast<Index>(out.columns.size()));
  for (std::size_t k = 0; k < means.size(); ++k) out.targets += out.weights[k] * means[k];
  return out;
}

}  // namespace assay
