#pragma once

#include <vector>

#include "assay/prior.h"
#include "assay/types.h"

namespace assay {

// How alike two labelings are whatever their classes are called: the adjusted Rand index, 1 for the
// same partition, 0 on average for independent ones.
double adjusted_rand(const Label* a, const Label* b, Index count, Index classes);

// How much tasks differ, over all pairs of at most `most` of them and at most 4096 evenly spaced
// samples. labels: task after task, `count` each.
TaskDiversity diversity_of(const std::vector<Label>& labels, Index count, Index classes,
                           Index most = 200);

}  // namespace assay
