#include "metrics/logme_regression.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "data/row_blocks.h"
#include "linalg/gram.h"
#include "metrics/make_problem.h"

namespace assay {

void require_same_dim(const FittedFeatures& fitted, const RowSource& rows) {
  if (rows.cols() == fitted.dim) return;
  fail_input(
      fmt::format("{}: {} columns, but the fit was on {}; both must come from the same model",
                  rows.where(), rows.cols(), fitted.dim));
}

bool centered_by_default(TargetKind kind) {
  return kind == TargetKind::regression || kind == TargetKind::multi_label;
}

FittedFeatures fit_features(ThreadPool& pool, const RowSource& rows, const Targets& targets,
                            Index memory_limit, bool center) {
  const Problem problem = make_problem(pool, rows, targets, center, memory_limit);
  if (std::none_of(problem.active().begin(), problem.active().end(), [](bool a) { return a; })) {
    fail_input(
        fmt::format("{}: every target is constant; there is nothing to predict", targets.where));
  }
  return {targets.kind, targets.names, rows.cols(), logme(problem),
          std::make_shared<const LogmeFit>(fit_logme(problem, rows))};
}

Matrix predicted_means(ThreadPool& pool, const FittedFeatures& fitted, const RowSource& rows) {
  require_same_dim(fitted, rows);
  Matrix means(rows.rows(), fitted.fit->weights.cols());
  for_row_blocks(pool, rows, [&](Index first, const Matrix& samples) {
    means.middleRows(first, samples.cols()) =
        product(samples, true, fitted.fit->weights, false).rowwise() +
        fitted.fit->intercept.transpose();
  });
  return means;
}

}  // namespace assay
