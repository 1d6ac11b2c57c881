#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/extract.h"
#include "assay/rank.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// How much work a search may do. A pass is one sample seen by one model; a full run takes one for
// every sample and model.
struct SearchBudget {
  enum class Unit { share, passes, seconds };
  Unit unit = Unit::share;
  double amount = 0.25;  // of a full run; passes; seconds
  std::string text = "25%";
};

// "25%", "5000-images" (passes over all models), "90s", "30min", "2h". Throws Error.
SearchBudget parse_budget(std::string_view text);

struct SearchRequest {
  // Which models, labels and options of scores; its metrics are not looked at. `rank.level` is the
  // confidence with which no model is dropped that is best on all samples.
  RankRequest rank;
  const Metric* by = nullptr;  // the metric that the race is run by; null: ridge_loo
  Index top = 3;               // how many models to find
  SearchBudget budget = {};
  // CSV of name and a number, higher is better: who is tried first. It never decides who stays.
  std::filesystem::path prior_ranking;
  // Networks on images, in place of features: empty `data`: none.
  DataRequest data = {};
};

// Where a model's race ended.
enum class RaceState {
  contender,  // could still be the best
  dropped,    // is not the best, with the confidence asked for
  set_aside,  // could be the best, but the budget went to better ones
  untried,    // the budget ended before it was seen
};
std::string_view race_state_name(RaceState state);

// One model against the leader of a look.
struct RaceLook {
  Index samples = 0;
  double value = 0.0;       // its score on these samples
  double difference = 0.0;  // to the leader's, 0 for the leader; below 0: worse
  double error = 0.0;       // standard error of difference + drift as an estimate of that on all
  double drift = 0.0;       // what the difference is expected to gain with more samples
  std::optional<double> high =
      {};  // upper bound of the difference on all samples; none: first look
};

struct RacedModel {
  std::string name;
  RaceState state = RaceState::untried;
  bool reported = false;  // one of the top
  Index dim = 0;
  std::vector<RaceLook> looks = {};
  Index passes = 0;            // that were paid for; cached features are free
  double seconds = 0.0;        // reading or running it, and scoring
  double seconds_saved = 0.0;  // that it would have taken longer on all samples; an estimate

  Index samples() const { return looks.empty() ? 0 : looks.back().samples; }
};

// Why a race came to its end.
enum class RaceEnd {
  decided,   // no more than `top` models could still be the best
  all_seen,  // those left were scored on all samples: nothing is left to estimate
  budget,    // more than `top` models could still be the best, or were never compared
};
std::string_view race_end_name(RaceEnd end);

struct SearchResult {
  const Metric* by = nullptr;
  Index top = 0;
  double level = 0.0;
  SearchBudget budget = {};
  RaceEnd end = RaceEnd::budget;
  std::vector<RacedModel> models = {};  // best first: the reported, then those longest in the race
  std::vector<Index> looks = {};        // samples of each look
  Index samples = 0;                    // of the data
  Index passes = 0;                     // paid for
  Index full_passes = 0;                // of a run on everything
  bool networks = false;                // passes are images through networks, not rows of files
  double seconds = 0.0;
  double seconds_saved = 0.0;
  std::vector<FailedModel> failed = {};
  std::vector<std::string> notes = {};
  std::vector<FileDigest> inputs = {};

  // With the confidence, no model that is not reported is the best.
  bool settled() const { return end != RaceEnd::budget; }
};

// Finds the best models of a hub without looking at every sample with every model (a race). All
// models see a small stratified sample; those whose difference to the leader is surely below zero
// drop out; the rest see twice as many samples, and so on, until no more than `top` are left, all
// samples are seen or the budget is spent. A model that cannot be read is listed in `failed`;
// throws Error when none is left or the labels are at fault.
SearchResult search_hub(ThreadPool& pool, const SearchRequest& request,
                        const ProgressCallback& progress);

}  // namespace assay
