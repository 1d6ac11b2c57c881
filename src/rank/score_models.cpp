#include "rank/score_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "assay/error.h"
#include "data/moments_pass.h"
#include "data/read_samples.h"
#include "parts/data_digest.h"
#include "parts/shared_units.h"
#include "rank/contributions.h"
#include "rank/score_draws.h"
#include "rank/score_fields.h"

namespace assay {
namespace {

// What is known of one model before it is scored.
struct Candidate {
  std::optional<OpenModel> opened;  // kept open where memory allows, or files are read twice
  std::string error;
};

WorkList models_to_score(const RankPlan& plan) {
  WorkList list{"rank", {}, targets_digest(plan.targets)};
  for (const Model& model : plan.models.models) list.units.push_back(model.name);
  return list;
}

// An upper bound of what scoring one model on one thread holds.
Index memory_of(const OpenModel& model, Index columns) {
  constexpr Index overhead = Index{320} << 20;  // blocks of rows and the folds' moments
  const Index probabilities =
      model.probabilities
          ? probabilities_memory(model.probabilities->rows(), model.probabilities->cols())
          : 0;
  return samples_memory(*model.rows, columns) + probabilities +
         8 * moments_bytes(model.rows->cols(), columns) + overhead;
}

// What every row adds to every score is kept until models are compared, and copied there: units
// that a quarter of the limit holds. Blocks of rows take their place where there are more
// (contributions.h).
Index most_units(const RankPlan& plan) {
  constexpr Index copies = 4;
  constexpr Index fewest = 1024;  // standard errors are good to 2 %
  const Index numbers = plan.request.memory_limit / 4 / (copies * Index{sizeof(double)});
  const Index scores = std::ssize(plan.models.models) * std::ssize(plan.metrics.all());
  return std::max(fewest, numbers / std::max<Index>(1, scores));
}

void keep_blocks(ScoredModel& model, Index most) {
  for (MetricScore& score : model.scores)
    score.contributions = block_contributions(std::move(score.contributions), most);
}

class ModelScorer {
 public:
  ModelScorer(ThreadPool& pool, RankPlan& plan, const ProgressCallback& progress)
      : pool_(pool),
        plan_(plan),
        progress_(progress),
        candidates_(plan.models.models.size()),
        units_(plan.request.share, models_to_score(plan)) {}

  // Which metrics every readable model can be scored by, and what the largest takes in memory.
  void open_models() {
    Index open_bytes = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      OpenModel model;
      try {
        model = open_model(plan_.models.models[i], plan_.metrics.wanted_scores(plan_.request),
                           plan_.request.memory_limit);
      } catch (const Error& error) {
        candidates_[i].error = error.what();
        continue;
      }
      plan_.metrics.drop_unusable_for(model, plan_.request, plan_.targets, pool_.threads());
      largest_ = std::max(largest_, memory_of(model, plan_.targets.columns()));
      open_bytes += Index{sizeof(double)} * model.rows->rows() * model.rows->cols();
      if (model.probabilities) open_bytes += Index{sizeof(double)} * model.probabilities->size();
      const bool scored_here = units_.mine(static_cast<Index>(i));
      if (scored_here && open_bytes <= plan_.request.memory_limit / 4)
        candidates_[i].opened = std::move(model);
    }
  }

  void score_models() {
    const auto count = static_cast<Index>(candidates_.size());
    const bool together = side_by_side();
    const auto score = [&](Index i) {
      if (units_.mine(i)) open_and_score(i, together);
    };
    if (together) {
      pool_.run(count, score);
    } else {
      for (Index i = 0; i < count; ++i) score(i);
    }
    units_.complete();
  }

  void hand_over(RankResult& result) {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      try {
        result.models.push_back(units_.take(static_cast<Index>(i)));
      } catch (const Error& error) {
        result.failed.push_back({plan_.models.models[i].name, error.what()});
      }
    }
  }

 private:
  // Metrics on samples have parts that one thread must do alone, so models go side by side where
  // memory allows; moments are best shared out within a model.
  bool side_by_side() const {
    const bool samples = std::any_of(plan_.metrics.all().begin(), plan_.metrics.all().end(),
                                     [](const Metric* m) { return m->from_samples != nullptr; });
    return samples && plan_.draws.empty() && units_.count() >= pool_.threads() &&
           largest_ * pool_.threads() <= plan_.request.memory_limit;
  }

  void open_and_score(Index unit, bool together) {
    const auto i = static_cast<std::size_t>(unit);
    const Model& files = plan_.models.models[i];
    const ProgressCallback model_progress = [&](double done, const std::string&) {
      if (!together) report(static_cast<double>(finished_) + done, files.name);
    };
    units_.run(unit, [&] {
      Candidate& candidate = candidates_[i];
      if (!candidate.error.empty()) fail_input(candidate.error);
      const OpenModel model = candidate.opened
                                  ? *std::exchange(candidate.opened, std::nullopt)
                                  : open_model(files, plan_.metrics.wanted_scores(plan_.request),
                                               plan_.request.memory_limit);
      ScoredModel scored =
          score_rows(pool_, plan_, model, plan_.targets, plan_.metrics.all(), model_progress);
      keep_blocks(scored, most_units(plan_));
      return scored;
    });
    const std::lock_guard lock(mutex_);
    report(static_cast<double>(++finished_), files.name);
  }

  void report(double models, const std::string& name) const {
    if (progress_) progress_(models / static_cast<double>(units_.count()), name);
  }

  ThreadPool& pool_;
  RankPlan& plan_;
  const ProgressCallback& progress_;
  std::vector<Candidate> candidates_;
  SharedUnits<ScoredModel> units_;
  Index largest_ = 0;  // bytes
  std::mutex mutex_;
  Index finished_ = 0;
};

// A reason that models share is one line: labels of a wrong length are at fault once.
std::string reasons_of(const std::vector<FailedModel>& failed) {
  struct Reason {
    std::string first_file, text;
    Index others = 0;
  };
  std::vector<Reason> reasons;
  for (const FailedModel& one : failed) {
    const std::size_t end = std::min(one.error.find(": "), one.error.size());
    const std::string text = one.error.substr(end);
    const auto same = std::ranges::find(reasons, text, &Reason::text);
    if (same != reasons.end()) {
      ++same->others;
    } else {
      reasons.push_back({one.error.substr(0, end), text, 0});
    }
  }
  std::string lines;
  for (const Reason& one : reasons) {
    lines += fmt::format("\n  {}{}", one.first_file, one.text);
    if (one.others > 0) lines += fmt::format(" (the same with {} more)", one.others);
  }
  return lines;
}

}  // namespace

void score_models(ThreadPool& pool, RankPlan& plan, const ProgressCallback& progress,
                  RankResult& result) {
  ModelScorer scorer(pool, plan, progress);
  scorer.open_models();
  scorer.score_models();
  scorer.hand_over(result);
  result.metrics = plan.metrics.all();
  result.left_out = plan.metrics.left_out();
  if (!result.models.empty()) return;
  fail_input(fmt::format("nothing left to rank:{}", reasons_of(result.failed)));
}

}  // namespace assay
