#pragma once

#include <functional>
#include <vector>

#include "rank/ranking.h"

namespace assay::study {

// Ranges of ranks as a script gets them: units (rows, or groups of rows) drawn with replacement, as
// many as there are; on every draw all models are scored and ranked; of each model's ranks the
// quantiles. What `assay rank` does must not be wider by more than a rank, or nobody needs it.
struct BootstrapRanges {
  std::vector<Index> low;  // per model
  std::vector<Index> high;

  double mean_width() const;
};

// score: columns (metrics x models, values alone) when unit u counts times[u] times.
using ScoreDraw = std::function<Columns(const std::vector<Index>& times)>;
BootstrapRanges plain_bootstrap(Index units, Index draws, double level, std::uint64_t seed,
                                const ScoreDraw& score);

}  // namespace assay::study
