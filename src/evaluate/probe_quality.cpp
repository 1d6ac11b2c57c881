#include "evaluate/probe_quality.h"

#include <fmt/format.h>

#include <vector>

#include "assay/error.h"
#include "data/subset.h"
#include "learn/linear_probe.h"
#include "learn/ridge_probe.h"
#include "metrics/average_precision.h"
#include "metrics/learning_curve.h"

namespace assay {
namespace {

bool varies(const Matrix& values, Index column) {
  return values.col(column).minCoeff() < values.col(column).maxCoeff();
}

std::vector<Index> telling_columns(const ProbedSamples& train, const ProbedSamples& test) {
  std::vector<Index> out;
  for (Index c = 0; c < train.targets.columns(); ++c) {
    if (varies(train.targets.values, c) && varies(test.targets.values, c)) out.push_back(c);
  }
  if (out.empty()) {
    fail_input(fmt::format("{}: no target varies among both the training and the test rows",
                           train.targets.where));
  }
  return out;
}

// 1 - squared residuals / squares about the mean of the test rows, averaged over columns.
double mean_r2(const Matrix& values, const Matrix& predicted) {
  double sum = 0.0;
  for (Index c = 0; c < values.cols(); ++c) {
    const double about_mean = (values.col(c).array() - values.col(c).mean()).square().sum();
    sum += 1.0 - (values.col(c) - predicted.col(c)).squaredNorm() / about_mean;
  }
  return sum / static_cast<double>(values.cols());
}

}  // namespace

ProbedSamples part_of(const ProbedSamples& samples, const std::vector<Index>& rows) {
  return {samples.features(Eigen::all, rows), targets_of_rows(samples.targets, rows)};
}

std::string probe_unit(TargetKind kind) {
  if (kind == TargetKind::classes) return "accuracy";
  return kind == TargetKind::multi_label ? "average precision" : "R2";
}

double probe_quality(ThreadPool& pool, const ProbedSamples& train, const ProbedSamples& test,
                     std::uint64_t seed) {
  const TargetKind kind = train.targets.kind;
  if (kind == TargetKind::classes) {
    return linear_probe(pool, {train.features, train.targets.labels},
                        {test.features, test.targets.labels}, train.targets.columns(), seed)
        .accuracy;
  }
  const std::vector<Index> columns = telling_columns(train, test);
  const Matrix values = test.targets.values(Eigen::all, columns);
  const Matrix predicted = ridge_probe(
      pool, train.features, train.targets.values(Eigen::all, columns), test.features, seed);
  return kind == TargetKind::multi_label ? mean_of(average_precision_by_sample(values, predicted))
                                         : mean_r2(values, predicted);
}

}  // namespace assay
