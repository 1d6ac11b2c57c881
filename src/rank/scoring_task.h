#pragma once

#include <cstdint>
#include <span>

#include "assay/metric.h"
#include "assay/progress.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "data/folds.h"
#include "metrics/samples.h"
#include "rank/sample_reading.h"

namespace assay {

struct ScoreOptions {
  bool center = false;
  Index memory_limit = 0;  // bytes
  // Moments of folds held side by side may take this much; what does not fit is summed in further
  // passes over the data.
  Index fold_memory = Index{256} << 20;
  bool fixed_points = false;              // also LogME's fixed point of each column
  bool refit = false;                     // intervals also where they need costly refits
  bool closed_form = true;                // intervals without refits where there are such
  const Matrix* probabilities = nullptr;  // n x Z of the source model, where it is known
  PactranSettings pactran = {};
  Index test_rows = 0;  // of the set that a prediction will be compared with
  std::uint64_t seed = 0;
  Index knn_exact_rows = kKnnExactRows;
  const DrawSizes* draw_sizes = nullptr;  // of metrics that are fitted to draws; null: none
};

// One model on one set of rows: what its scores are computed from. Nothing is owned.
struct ScoringTask {
  ThreadPool& pool;
  const RowSource& rows;
  const Targets& targets;
  const Folds& folds;  // to leave out one after another; count 0: no intervals
  const ScoreOptions& options;
  const ProgressCallback& progress;
  std::span<const Label> groups = {};  // codes 0, 1, ... of rows that belong together, or empty

  void report(double done) const {
    if (progress) progress(done, rows.where());
  }
};

}  // namespace assay
