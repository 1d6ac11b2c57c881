#pragma once

#include <vector>

#include "tune/run_jobs.h"

namespace assay {

// Runs with the settings that a search chose.
struct SearchedRuns {
  std::vector<TuneRun> runs;      // job after job, seed after seed
  std::vector<TuneRun> searched;  // short runs that only chose, on rows held back from the others
  std::vector<FailedModel> failed;
  std::vector<std::filesystem::path> checkpoints;  // of runs that ended well
};

// Whether settings are open: several rates or decays or none, and for jobs with a penalty several
// lambdas or none.
bool has_open_settings(const std::vector<TuneJob>& jobs, const TuneSettings& settings);

// Epochs of training in all: of the search, and of the runs after it.
struct PlannedEpochs {
  Index search = 0;
  Index runs = 0;
};
PlannedEpochs planned_epochs(const std::vector<TuneJob>& jobs, const TuneSettings& settings);

// Settles what is open by successive halving: all settings train for a quarter of the epochs, the
// better half for half of them, what then validates best on the rows held back is taken
// (TuneSettings says what is tried). Rate and decay are those that plain fine-tuning of the network
// likes best. A lambda found by its ratio r is r |task| / |penalty|: lengths of the gradients with
// respect to the target's features, means over the second epoch of plain fine-tuning, while the
// penalty learns what it has to learn but pulls at nothing.
//
// The jobs come back in their order with rate, decay, lambda and ratio filled in; those none of
// whose trials ended well are in `failed` and missing. Jobs need variant numbers of their own.
std::vector<TuneJob> search_settings(ThreadPool& pool, const std::vector<TuneJob>& jobs,
                                     const TuneContext& context, const ProgressCallback& progress,
                                     SearchedRuns& found);

// What is the same whoever chose it: where nothing is open, the only rate, decay and lambda.
std::vector<TuneJob> with_only_settings(std::vector<TuneJob> jobs, const TuneSettings& settings);

// Every job with every seed. A lambda of 0 whose runs need not be written takes over those of plain
// fine-tuning, which they would repeat bit for bit.
void run_all_seeds(ThreadPool& pool, const std::vector<TuneJob>& jobs, const TuneContext& context,
                   const ProgressCallback& progress, SearchedRuns& found);

// Once everything is done. Checkpoints of runs that failed stay: what stopped them may be put
// right.
void remove_checkpoints(const SearchedRuns& found);

}  // namespace assay
