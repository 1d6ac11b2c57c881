#pragma once

#include "assay/predict.h"
#include "assay/targets.h"

namespace assay {

// `truth`: of the rows predicted, under the codes of the targets that were fitted. Columns of the
// truth that do not vary have no R2 and no average precision and do not count.
PredictionQuality prediction_quality(const PredictResult& result, const Targets& truth);

}  // namespace assay
