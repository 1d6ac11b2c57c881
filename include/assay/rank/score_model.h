#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/progress.h"
#include "assay/core/types.h"
#include "assay/data/folds.h"
#include "assay/data/rows.h"
#include "assay/data/targets.h"
#include "assay/metrics/fixed_point.h"
#include "assay/metrics/metric.h"

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

// A metric's score on all samples and, one per fold, without that fold's samples. For classes a
// replicate is the full-data score of no features plus the gain without the fold: class counts are
// taken as given.
struct MetricScore {
  const Metric* metric = nullptr;
  Score score = {};
  std::vector<double> replicates = {};
  std::vector<double> pair_replicates = {};  // without folds 2k and 2k + 1; only when n < 4 D
  double seconds = 0.0;
  std::vector<std::vector<double>> fold_variants = {};  // of a hub metric, per fold
  std::vector<double> draws =
      {};  // with --subsample: the value of each draw; the score is their mean
  std::vector<std::vector<double>> draw_variants = {};
  std::optional<FixedPointCurves> fixed_points = {};  // of logme, when asked for
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
