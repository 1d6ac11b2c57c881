#pragma once

#include <optional>

#include "assay/prior.h"
#include "assay/thread_pool.h"
#include "prior/task_prior.h"

namespace assay {

// The temperature at which sampled tasks have a mean pairwise adjusted Rand index of `target`: cold
// tasks are all alike, hot ones have nothing in common. By bisection of log T with the tasks that
// these options draw first, so it is part of the sample, not a guess about another one. Where even
// the coldest tasks differ more, the coldest temperature tried. Nothing when every entry of the
// kernel off the diagonal is zero. Every kernel must have a factor.
template <typename T>
std::optional<double> choose_temperature(ThreadPool& pool, const TaskPrior<T>& prior,
                                         SampleOptions options, double target);

}  // namespace assay
