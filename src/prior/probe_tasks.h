#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/prior.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

struct TaskAccuracies {
  Vector accuracy;          // per task, on held-out rows
  double test_noise = 0.0;  // see ProbedModel
  double penalty = 0.0;     // ridge: chosen by leave-one-out squared error over some of the tasks
};

// Held-out accuracy of a linear probe on every task (Task Priors, section 4.2).
//
// features: D x n, standardised on the training rows. labels: task after task, n each,
// 0 ... classes - 1. Ridge regresses each class's indicator with an intercept; with the principal
// axes z of the training rows, weights are diag(1 / (s + penalty)) z Y for all tasks together.
// Cost: one eigendecomposition of size min(n, D), then 2 n r flops per task and class.
TaskAccuracies probe_tasks(ThreadPool& pool, Matrix features, const std::vector<Label>& labels,
                           Index classes, const ProbeTasksOptions& options);

// What guessing the commonest class of all rows would get, mean over tasks.
double chance_accuracy(const std::vector<Label>& labels, Index count, Index classes);

}  // namespace assay
