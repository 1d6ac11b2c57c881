#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/metric.h"
#include "assay/progress.h"
#include "assay/rank.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "data/folds.h"
#include "metrics/fixed_point.h"

namespace assay {

struct ScoreOptions {
  bool center = false;
  Index memory_limit = 0;  // bytes
  // Moments of folds held side by side may take this much; what does not fit is summed in further
  // passes over the data.
  Index fold_memory = Index{256} << 20;
  bool fixed_points = false;              // also LogME's fixed point of each column
  bool refit = false;                     // intervals also where they need costly refits
  const Matrix* probabilities = nullptr;  // n x Z of the source model, where it is known
  std::uint64_t seed = 0;
};

// Why a metric cannot score these targets; empty when it can. `probabilities`: they are known.
std::string reason_left_out(const Metric& metric, const Targets& targets, bool probabilities);

// Scores one model by every metric (all must apply, see above), and jackknifes them over `folds`
// (count 0: no replicates). The data are read once when the folds' moments fit beside each other,
// and once more for every group of folds that does otherwise. Throws Error when rows and targets do
// not match, a value is not finite, no target column varies, or memory does not suffice.
std::vector<MetricScore> score_model(ThreadPool& pool, const RowSource& rows,
                                     const Targets& targets, const Folds& folds,
                                     const std::vector<const Metric*>& metrics,
                                     const ScoreOptions& options, const ProgressCallback& progress);

}  // namespace assay
