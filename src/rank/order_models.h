#pragma once

#include "assay/rank.h"

namespace assay {

// Orders the scored models by the metric asked for, or by consensus.
void order_models(const RankRequest& request, RankResult& result);

// What every network costs, and the Pareto front of rank against latency: down the ranking, a model
// is on it when it is faster than all before it.
void add_costs(const Hub& hub, RankResult& result);

// How far the metrics order the models alike.
void add_agreement(RankResult& result);

}  // namespace assay
