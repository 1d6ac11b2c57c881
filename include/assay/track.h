#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/hub.h"
#include "assay/metric.h"
#include "assay/prior.h"
#include "assay/progress.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"

namespace assay {

// A number that is followed over training.
struct TrackedQuantity {
  std::string name;   // "logme", "probe_r2", "rankme": as in the JSON
  std::string title;  // for people
  std::string unit;
  std::optional<Direction> direction;  // none: neither more nor less is better
};

// One quantity of one checkpoint. Errors are standard errors over the samples, none where none is
// known; the change is from the checkpoint before, on the same samples, and its error that of the
// paired difference.
struct TrackedScore {
  std::optional<double> value = {};  // none: it does not exist here
  std::optional<double> error = {};
  std::optional<double> change = {};
  std::optional<double> change_error = {};
};

struct Checkpoint {
  std::string name;
  double step = 0.0;
  Index n = 0;
  Index dim = 0;
  std::vector<TrackedScore> scores = {};  // in the order of the quantities
};

struct TrackSetting {
  std::optional<Targets> labels = {};      // of the samples
  std::vector<GivenPriorPart> prior = {};  // of probe_r2; none: the labels, if they are classes
  Index views = 0;                         // rows in a row that show one sample: LiDAR
  std::string by = {};  // the quantity that says what is better; empty: the first
  double level = 0.95;
  std::uint64_t seed = 0;
  Index memory_limit = 0;
};

struct TrackResult {
  std::vector<TrackedQuantity> quantities;
  std::size_t by = 0;  // of the quantities
  double level = 0.0;
  std::vector<Checkpoint> checkpoints;  // by step
  std::size_t best = 0;                 // by the value of `by`
  // The step of the latest checkpoint that is better than the one that held this place before, with
  // the confidence level for all comparisons together. Where others follow, training has not been
  // seen to improve since.
  std::size_t improved_last = 0;
  std::vector<FailedModel> failed = {};
  std::vector<std::string> notes = {};
  std::vector<FileDigest> inputs = {};

  bool still_improving() const { return improved_last + 1 == checkpoints.size(); }
  double half_width_factor() const;  // of intervals: standard errors to either side
};

// Follows training, one checkpoint at a time: it keeps what samples contribute to the scores of
// three checkpoints, never features. The quantities:
//
//   logme, knn     with labels (knn: classes)
//   probe_r2       with a prior: the share of a task's variance that a ridge probe explains
//   rankme, alpha_req, and lidar with views
class Tracker {
 public:
  // Throws Error for a quantity that there is not, and bad labels.
  Tracker(ThreadPool& pool, TrackSetting setting);
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  // Scores a checkpoint; steps ascend. Throws Error when the rows do not fit those before.
  const Checkpoint& update(const std::string& name, double step, const RowSource& rows);

  const TrackResult& result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct TrackRequest {
  std::vector<std::filesystem::path> inputs;  // feature files or hubs: a checkpoint each
  Hub hub = {};                               // in memory, or networks that were run
  std::filesystem::path labels;
  PriorParts prior;
  std::vector<double> steps;  // of the checkpoints in the order given; empty: the last number of
                              // every name
  TrackSetting setting;
};

// All checkpoints by step. One that cannot be read is listed in `failed`; throws Error when none is
// left, and when steps are missing or occur twice.
TrackResult track_checkpoints(ThreadPool& pool, const TrackRequest& request,
                              const ProgressCallback& progress);

}  // namespace assay
