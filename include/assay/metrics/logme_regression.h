#pragma once

#include <string>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/types.h"
#include "assay/data/rows.h"
#include "assay/data/targets.h"
#include "assay/metrics/logme.h"

namespace assay {

// The Bayesian linear regression behind LogME, fitted on all rows in double.
struct FittedFeatures {
  TargetKind kind = TargetKind::classes;
  std::vector<std::string> columns;  // class ids or target names
  Index dim = 0;
  Score score;  // LogME of the same rows
  LogmeFit fit;
};

// Throws Error when rows and targets do not match, a value is not finite, or no target varies.
FittedFeatures fit_features(ThreadPool& pool, const RowSource& rows, const Targets& targets,
                            Index memory_limit);

// Throws Error when rows of features have another dimension than those of the fit.
void require_same_dim(const FittedFeatures& fitted, const RowSource& rows);

// The means alone, one row per sample: variances cost far more.
Matrix predicted_means(ThreadPool& pool, const FittedFeatures& fitted, const RowSource& rows);

}  // namespace assay
