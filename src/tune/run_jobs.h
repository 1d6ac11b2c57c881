#pragma once

#include <string>
#include <vector>

#include "assay/tune.h"
#include "images/training_images.h"
#include "tune/train.h"

namespace assay {

// A seed that no run has whose result counts.
inline constexpr Index kSearchSeed = -1;

// One network to be trained once.
struct TuneJob {
  const NetworkSource* network = nullptr;
  TuneMethod method = TuneMethod::finetune;
  std::string teachers = {};                   // label of their set
  std::string teacher_digests = {};            // what they are, for the checkpoint's cache key
  std::vector<const NetworkSource*> zoo = {};  // of the same architecture, to be mixed in
  const Penalty* penalty = nullptr;
  double lambda = 0.0;
  std::optional<double> ratio = {};  // of the gradients, that gave lambda
  bool observe = false;              // look at a penalty of lambda = 0
  double rate = 0.0, decay = 0.0;
  Index seed = 0;                   // 0 ... runs - 1; kSearchSeed while searching
  Index variant = 0;                // which job of the command it is a run of
  std::filesystem::path file = {};  // empty, or where the tuned network goes
};

// What all jobs of a command share.
struct TuneContext {
  const TrainingImages* data = nullptr;
  const TuneSettings* settings = nullptr;
  Index input_size = 0;     // 0: the network's own
  std::string data_digest;  // of images and targets
};

// Trains, tests, writes the network where the job says. Throws Error when it cannot be done.
TuneRun run_job(const TuneJob& job, const TuneContext& context, const TrainProgress& progress);

// Where the checkpoint of the job lies; empty when none are kept.
std::filesystem::path checkpoint_file(const TuneJob& job, const TuneContext& context);

// One job after another, or side by side on the pool's threads when each needs one thread of its
// framework. Results come in the order of the jobs; null where one failed, which `failed` then
// says.
std::vector<std::optional<TuneRun>> run_jobs(ThreadPool& pool, const std::vector<TuneJob>& jobs,
                                             const TuneContext& context,
                                             const ProgressCallback& progress,
                                             std::vector<FailedModel>& failed);

// "b-tuning top-3 seed 1", for people.
std::string job_name(const TuneJob& job);

}  // namespace assay
