#pragma once

#include <string>
#include <vector>

#include "assay/prior.h"
#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "prior/task_prior.h"

namespace assay {

// How one labelling fits a model with this kernel and these features (Theorem 3.3).
template <typename T>
LabelAlignment align_labels(ThreadPool& pool, const std::string& name, const RowSource& rows,
                            const Kernel<T>& kernel, const std::vector<Label>& labels);

}  // namespace assay
