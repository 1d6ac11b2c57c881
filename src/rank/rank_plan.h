#pragma once

#include <vector>

#include "assay/hub.h"
#include "assay/rank.h"
#include "assay/targets.h"
#include "data/folds.h"
#include "rank/metric_selection.h"

namespace assay {

// What a request comes to once its labels are read and checked: which models, which metrics, and
// which rows are left out for intervals or drawn.
struct RankPlan {
  const RankRequest& request;
  ModelList models;
  Targets targets;
  MetricSelection metrics;
  std::vector<Label> groups;              // of rows that belong together, or empty
  Folds folds;                            // count 0: no intervals
  std::vector<std::vector<Index>> draws;  // with --subsample, else empty
  Index population = 0;                   // rows that were drawn from
};

// `request` must outlive the plan. Throws Error when the labels are at fault.
RankPlan plan_ranking(const RankRequest& request);

}  // namespace assay
