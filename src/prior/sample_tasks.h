#pragma once

#include <vector>

#include "assay/prior.h"
#include "assay/progress.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "prior/task_prior.h"

namespace assay {

struct SampledLabels {
  std::vector<Label> labels;  // task after task, n each, 0 ... classes - 1
  Vector trace;               // Tr(KG) of each task
};

// Labelings y of the samples from the prior restricted to one-hot ones (Task Priors, section 4.1).
//
// Each task visits the samples in a seeded random order of its own (see Visits; the identity if
// `natural_order`) and draws from a stream of its own, so tasks do not depend on how many there
// are. What the labels before a block say about it is one matrix product, within the block the
// kernel's own entries do: the labels are those of Algorithm 1 one step after another.
// Every kernel must have a factor. Cost: 2 n r (classes + 1) flops per task and sweep.
template <typename T>
SampledLabels sample_tasks(ThreadPool& pool, const TaskPrior<T>& prior,
                           const SampleOptions& options, const ProgressCallback& progress = {},
                           bool natural_order = false);

// Probabilities of the next label given the ones before it in `order` (Algorithm 1, lines 4-6):
// n x classes, row i for order[i]. z: the kernel's factor, r x n. For checking samplers.
Matrix prefix_probabilities(const Matrix& z, const std::vector<Index>& order,
                            const std::vector<Label>& labels, Index classes, double temperature);

}  // namespace assay
