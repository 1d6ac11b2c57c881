#pragma once

#include <vector>

#include "assay/prior.h"
#include "prior/open_models.h"
#include "prior/open_prior.h"

namespace assay {

// Whether block by block gives the same numbers: features under centred cosine kernels, and
// nothing asked for that needs all rows at once. (Labels to be aligned with need them; the caller
// knows of those.)
bool can_stream(const PriorScoreRequest& request, const KernelOptions& model_kernel,
                const std::vector<OpenPrior>& priors, const std::vector<PriorModel>& models);

// The scores of one model under one prior, neither of them ever whole in memory; `free` goes with
// each. Throws Error where not even blocks fit the memory limit.
std::vector<PriorScore> stream_model(ThreadPool& pool, const PriorScoreRequest& request,
                                     const KernelOptions& model_kernel, const PriorModel& model,
                                     const OpenPrior& prior, const LabelFree& free,
                                     const ProgressCallback& progress);

}  // namespace assay
