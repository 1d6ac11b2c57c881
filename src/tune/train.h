#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/tune.h"
#include "images/batches.h"
#include "learn/rate_schedule.h"
#include "tune/tuner.h"

namespace assay {

struct TrainOptions {
  Index epochs = 10;
  Index batch = 48;
  double rate = 1e-3;
  RateSchedule schedule = RateSchedule::step;
  TakenWeights taken = TakenWeights::last;
  Index views = 1;  // each sample is seen in one of them, drawn anew every epoch
  std::uint64_t seed = 0;
  std::filesystem::path checkpoint = {};  // empty: none is kept
  std::string cache_key = {};  // what the run depends on; a checkpoint of another is ignored
};

// Told after every epoch and now and then within one.
using TrainProgress = std::function<void(double done, const EpochRecord& epoch)>;

// Mini-batches in an order drawn anew each epoch from (seed, epoch); an incomplete last batch is
// left out unless it is the only one. After every epoch the state goes to the checkpoint, so that a
// run that was killed goes on from there and ends with the same weights. Averaged weights are those
// at the ends of the last quarter of the epochs; the last epoch is then validated with them. Throws
// Error when the loss is no longer finite.
TrainResult train(Tuner& tuner, const PrepareBatch& prepare, const std::vector<Index>& rows,
                  const std::vector<Index>& validation, const TrainOptions& options,
                  const TrainProgress& progress);

// Of the rows, in view 0, against the targets of the same numbers.
Quality quality_on(Tuner& tuner, const PrepareBatch& prepare, const std::vector<Index>& rows,
                   const TaskTargets& targets, Index batch);

}  // namespace assay
