#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "assay/metric.h"
#include "assay/rank.h"
#include "assay/targets.h"
#include "rank/open_model.h"
#include "rank/sample_reading.h"

namespace assay {

// Why a metric cannot score these targets; empty when it can. `probabilities`: they are known.
std::string reason_left_out(const Metric& metric, const Targets& targets, bool probabilities);

// The requested metrics less those that the targets or a model cannot serve; reasons in left_out().
// Helper metrics, which judge the settings of others (Metric::setting_judge), take part without
// having been asked for.
class MetricSelection {
 public:
  MetricSelection(const RankRequest& request, const Targets& targets);

  const std::vector<const Metric*>& all() const { return all_; }
  const std::vector<LeftOut>& left_out() const { return left_out_; }
  bool requested(const Metric* metric) const { return !helpers_.contains(metric); }
  SourceScores wanted_scores(const RankRequest& request) const;

  // Of metrics that cannot have all samples of some model in memory: rows of each draw, for all.
  const DrawSizes& draw_sizes() const { return draw_sizes_; }

  // `threads`: of one run. Throws Error when nothing remains.
  void drop_unusable_for(const OpenModel& model, const RankRequest& request, const Targets& targets,
                         Index threads);

 private:
  // Drops every metric for which a reason is given.
  void drop(const std::function<std::string(const Metric&)>& reason_of);

  std::vector<const Metric*> all_;
  std::set<const Metric*> helpers_;
  std::vector<LeftOut> left_out_;
  DrawSizes draw_sizes_;
};

// Helper metrics have done their work: nobody asked to see them.
void drop_helper_metrics(const MetricSelection& selection, RankResult& result);

}  // namespace assay
