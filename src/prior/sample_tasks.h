#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "assay/prior.h"
#include "assay/progress.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

struct SampledLabels {
  std::vector<Label> labels;  // task after task, n each, 0 ... classes - 1
  Vector trace;               // Tr(KG) of each task
};

// Labelings y of the samples from the prior restricted to one-hot ones (Task Priors, section 4.1).
//
// Samples are visited in one seeded random order (the identity if `natural_order`); each task draws
// from a stream of its own. Samples go by blocks: what the labels before a block say about it is
// one matrix product for all tasks and classes, within the block the kernel's own entries do.
// z: the kernel's factor, r x n. Cost: 2 n r classes tasks flops per sweep.
SampledLabels sample_tasks(ThreadPool& pool, const Matrix& z, const SampleOptions& options,
                           const ProgressCallback& progress = {}, bool natural_order = false);

// How alike two labelings are whatever their classes are called: the adjusted Rand index, 1 for the
// same partition, 0 on average for independent ones.
double adjusted_rand(const Label* a, const Label* b, Index count, Index classes);

// Probabilities of the next label given the ones before it in `order` (Algorithm 1, lines 4-6):
// n x classes, row i for order[i]. For checking samplers.
Matrix prefix_probabilities(const Matrix& z, const std::vector<Index>& order,
                            const std::vector<Label>& labels, Index classes, double temperature);

// A factor of a kernel given by its entries, r x n: Cholesky with pivoting, stopped when what is
// left of the trace is below 1e-10 of it. Written by hand because LAPACK's wants the whole matrix.
// Throws Error when the kernel is not positive semi-definite. Cost: n r^2 flops, r columns asked.
Matrix pivoted_cholesky(const Vector& diagonal, const std::function<Vector(Index)>& column,
                        const std::string& where);

}  // namespace assay
