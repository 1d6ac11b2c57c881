#pragma once

#include "rank/rank_plan.h"

namespace assay {

// What the user should know, one sentence each: where draws or folds are not what was asked for;
void add_plan_notes(const RankPlan& plan, RankResult& result);

// about few folds, files that were left out and rare classes;
void add_notes(const RankPlan& plan, RankResult& result);

// and about the metrics whose winner is another than the consensus's.
void add_disagreements(RankResult& result);

}  // namespace assay
