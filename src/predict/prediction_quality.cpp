#include "predict/prediction_quality.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "metrics/average_precision.h"

namespace assay {
namespace {

PredictionQuality accuracy_of(const PredictResult& result, const Targets& truth) {
  const auto n = static_cast<double>(truth.rows());
  PredictionQuality out{.rows = truth.rows()};
  std::vector<double> counts(result.columns.size());
  for (std::size_t i = 0; i < truth.labels.size(); ++i) {
    out.value += result.best[i] == truth.labels[i] ? 1.0 / n : 0.0;
    counts[static_cast<std::size_t>(truth.labels[i])] += 1.0;
  }
  out.standard_error = std::sqrt(out.value * (1.0 - out.value) / n);
  out.chance = *std::max_element(counts.begin(), counts.end()) / n;
  return out;
}

std::vector<Index> varying(const Matrix& values) {
  std::vector<Index> out;
  for (Index c = 0; c < values.cols(); ++c)
    if (values.col(c).minCoeff() < values.col(c).maxCoeff()) out.push_back(c);
  return out;
}

}  // namespace

PredictionQuality prediction_quality(const PredictResult& result, const Targets& truth) {
  if (truth.kind == TargetKind::classes) return accuracy_of(result, truth);
  PredictionQuality out{.rows = truth.rows()};
  const std::vector<Index> columns = varying(truth.values);
  if (columns.empty()) return out;
  const Matrix known = truth.values(Eigen::all, columns);
  const Matrix said = result.prediction.mean(Eigen::all, columns);
  if (truth.kind == TargetKind::multi_label) {
    const std::vector<double> parts = average_precision_by_sample(known, said);
    out.value =
        std::accumulate(parts.begin(), parts.end(), 0.0) / static_cast<double>(parts.size());
    out.chance = mean_share_of_positives(known);
    return out;
  }
  for (Index c = 0; c < known.cols(); ++c) {
    const double all = (known.col(c).array() - known.col(c).mean()).square().sum();
    out.value += (1.0 - (known.col(c) - said.col(c)).squaredNorm() / all) /
                 static_cast<double>(known.cols());
  }
  return out;
}

}  // namespace assay
