#pragma once

#include <string>
#include <vector>

#include "assay/progress.h"
#include "assay/search.h"
#include "assay/thread_pool.h"
#include "search/drop_rule.h"

namespace assay {

// A model's sight of the first samples of the race's order, and what that took.
struct LookResult {
  Sighting sighting = {};
  Index dim = 0;
  Index passes = 0;  // that had to be paid for
  double seconds = 0.0;
};

// What a race is run on.
class RaceField {
 public:
  virtual ~RaceField() = default;
  virtual std::vector<std::string> names() const = 0;

  // Scores one model on the first `looks.back()` samples. `looks` are the looks so far, this one
  // included, the same for every model that is asked. Throws Error when the model cannot be read.
  virtual LookResult look(std::size_t model, const std::vector<Index>& looks) = 0;

  // Whether models may be asked at the same time, from several threads.
  virtual bool side_by_side() const = 0;
};

struct RaceSetting {
  std::vector<Index> looks;  // as planned, ascending; the last is all samples
  Index telling = 0;         // looks at fewer samples drop nobody
  Index top = 3;
  double level = 0.95;
  SearchBudget budget = {};
  std::vector<std::size_t> order = {};  // who is tried first; every model once
};

struct RaceOutcome {
  RaceEnd end = RaceEnd::budget;
  std::vector<RacedModel> models = {};  // best first
  std::vector<Index> looks = {};        // that took place
  std::vector<FailedModel> failed = {};
  Index passes = 0;
};

// Look after look, all models that are left see twice as many samples. A model leaves when look_at
// says that it is not the best; the `top` best always stay. Where that would take more than half of
// what is left of the budget, the worse half is set aside, not below twice `top` models, and the
// others share the rest as in successive halving (Karnin, Koren, Somekh, ICML 2013): as much for
// every halving that is to come. The same for any number of threads, unless the budget is a time.
RaceOutcome run_race(ThreadPool& pool, RaceField& field, const RaceSetting& setting,
                     const ProgressCallback& progress);

}  // namespace assay
