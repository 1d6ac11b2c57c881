#pragma once

#include <string>
#include <vector>

#include "assay/logme.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "metrics/logme.h"

namespace assay {

// Throws Error when rows of features have another dimension than those of the fit.
void require_same_dim(const FittedFeatures& fitted, const RowSource& rows);

// The means alone, one row per sample: variances cost far more.
Matrix predicted_means(ThreadPool& pool, const FittedFeatures& fitted, const RowSource& rows);

}  // namespace assay
