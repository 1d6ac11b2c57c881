#include "assay/pipeline/predict_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "assay/core/error.h"
#include "assay/data/finite.h"
#include "assay/data/load_targets.h"
#include "assay/data/open_features.h"
#include "assay/pipeline/make_problem.h"

namespace assay {
namespace {

Matrix read_samples(const RowSource& rows) {
  std::vector<Index> all(static_cast<std::size_t>(rows.rows()));
  std::iota(all.begin(), all.end(), 0);
  Matrix samples(rows.cols(), rows.rows());
  rows.read(all, samples.data());
  for (const Index row : all) checked_magnitude(rows, row, samples.col(row).data());
  return samples;
}

}  // namespace

PredictResult predict_features(ThreadPool& pool, const PredictRequest& request) {
  const Targets targets = load_targets(request.labels);
  const Rows fit_rows = open_features(request.fit_features);
  const Rows rows = open_features(request.features);
  if (rows->cols() != fit_rows->cols()) {
    fail_input(fmt::format("{}: {} columns, but {} has {}; both must come from the same model",
                           rows->where(), rows->cols(), fit_rows->where(), fit_rows->cols()));
  }
  const Problem problem =
      make_problem(pool, *fit_rows, targets, /*center=*/false, request.memory_limit);
  if (std::none_of(problem.active().begin(), problem.active().end(), [](bool a) { return a; })) {
    fail_input(
        fmt::format("{}: every target is constant; there is nothing to predict", targets.where));
  }
  const LogmeFit fit = fit_logme(problem, *fit_rows);
  PredictResult result{targets.kind, targets.names, predict(fit, read_samples(*rows)), {}};
  if (targets.kind != TargetKind::classes) return result;
  for (Index row = 0; row < result.prediction.mean.rows(); ++row) {
    Index best = 0;
    result.prediction.mean.row(row).maxCoeff(&best);
    result.best.push_back(best);
  }
  return result;
}

}  // namespace assay
