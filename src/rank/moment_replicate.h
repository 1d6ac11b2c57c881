#pragma once

#include "assay/metric.h"
#include "assay/targets.h"

namespace assay {

// The score without a fold, for the jackknife. If a fold holds all samples of a class, the
// replicate keeps that class's full-data score, because dropping the term would shift the mean. For
// classes only the gain over no features is jackknifed: the rest depends on the class counts alone,
// which are given, and folds that cannot hold equal shares of a small class would make it vary.
double moment_replicate(const Score& full, const Score& fold, TargetKind kind);

}  // namespace assay
