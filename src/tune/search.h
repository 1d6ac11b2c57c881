#pragma once

#include <vector>

#include "tune/run_jobs.h"

namespace assay {

// All runs of some jobs: every combination of rates, decays and lambdas is tried with the first
// seed, the one that validates best goes on with the others.
struct SearchedRuns {
  std::vector<TuneRun> runs;      // job after job, seed after seed
  std::vector<TuneRun> searched;  // what was tried and not taken
  std::vector<FailedModel> failed;
};

// `variants`: one job for each method and set of teachers, rate, decay and seed still open. A
// positive `lambda` of a job is its method's usual one, which the settings' lambdas replace.
// `done` is handed to `progress` over all runs. Checkpoints are removed when all is done.
SearchedRuns search_then_run(ThreadPool& pool, const std::vector<TuneJob>& variants,
                             const TuneContext& context, const ProgressCallback& progress);

}  // namespace assay
