#pragma once

#include "assay/prior.h"
#include "assay/rows.h"
#include "assay/thread_pool.h"

namespace assay {

// RankMe and alpha-ReQ, and LiDAR where rows are views (`views` of each sample; fewer than 2:
// none). What a model's numbers do not allow stays empty: these stand beside the scores, they are
// not what fails a model.
LabelFree label_free(ThreadPool& pool, const RowSource& rows, Index views);

}  // namespace assay
