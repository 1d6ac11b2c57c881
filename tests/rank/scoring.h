#pragma once

#include <vector>

#include "metrics/make_problem.h"
#include "rank/score_model.h"
#include "support.h"

// What tests of scoring share: LogME of given rows, by the code under test and by a problem of
// their own.
namespace assay::test {

inline constexpr Index kPlenty = Index{1} << 32;

inline const std::vector<const Metric*>& metrics() {
  static const std::vector<const Metric*> all = {&find_metric("logme")};
  return all;
}

inline MetricScore score(ThreadPool& pool, const RowSource& rows, const Targets& targets,
                         const Folds& folds, const ScoreOptions& options) {
  return score_model({pool, rows, targets, folds, options, {}}, metrics()).at(0);
}

inline MetricScore score(const Matrix& features, const Targets& targets, const Folds& folds,
                         bool center = false) {
  return score(test::pool(), *rows_of_matrix(features, "features"), targets, folds,
               {.center = center, .memory_limit = kPlenty, .closed_form = false});
}

inline std::vector<Index> rows_outside(const Folds& folds, Index fold) {
  std::vector<Index> kept;
  for (std::size_t row = 0; row < folds.of_row.size(); ++row) {
    if (folds.of_row[row] != fold) kept.push_back(static_cast<Index>(row));
  }
  return kept;
}

// LogME of some of the samples, from a problem of their own; all classes keep their columns.
inline Score logme_of(const Matrix& features, const Targets& targets,
                      const std::vector<Index>& kept, bool center = false) {
  Targets part = targets;
  if (targets.kind == TargetKind::classes) {
    part.labels.clear();
    for (const Index row : kept)
      part.labels.push_back(targets.labels[static_cast<std::size_t>(row)]);
  } else {
    part.values = Matrix(targets.values(kept, Eigen::all));
  }
  const Rows rows = rows_of_matrix(Matrix(features(kept, Eigen::all)), "part");
  return find_metric("logme").from_moments(
      make_problem(test::pool(), *rows, part, center, kPlenty));
}

}  // namespace assay::test
