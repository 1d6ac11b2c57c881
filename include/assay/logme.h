#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assay/metric.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

struct LogmeFit;  // the posterior of the weights

// The posterior predictive distribution of some samples.
struct Prediction {
  Matrix mean;      // k x C: f'm
  Matrix variance;  // k x C: f'A^-1 f + 1/beta
};

// The Bayesian linear regression behind LogME, fitted on all rows in double.
struct FittedFeatures {
  TargetKind kind = TargetKind::classes;
  std::vector<std::string> columns;  // class ids or target names
  Index dim = 0;
  Score score;  // LogME of the same rows
  std::shared_ptr<const LogmeFit> fit;
};

// Whether features and targets are taken about their means where nobody says: numbers and several
// labels per sample are, classes are not, as in the paper.
bool centered_by_default(TargetKind kind);

// Throws Error when rows and targets do not match, a value is not finite, or no target varies.
FittedFeatures fit_features(ThreadPool& pool, const RowSource& rows, const Targets& targets,
                            Index memory_limit, bool center = false);

}  // namespace assay
