#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assay/hub.h"
#include "assay/rank.h"
#include "assay/rows.h"
#include "assay/targets.h"

namespace assay {

// One model's features and, where they are known, its source probabilities.
struct OpenModel {
  std::string name;
  Rows rows;
  std::optional<Matrix> probabilities;
};

// `probabilities`: whether anybody will ask for them.
OpenModel open_model(const ModelFiles& files, bool probabilities);

// The metrics of a request, shrinking as targets and models turn out not to have what they need.
// Metrics that settle others (Metric::settled_by) take part without having been asked for.
class MetricsInUse {
 public:
  // `targets` must outlive it.
  MetricsInUse(const RankRequest& request, const Targets& targets);

  const std::vector<const Metric*>& all() const { return all_; }
  const std::vector<LeftOut>& left_out() const { return left_out_; }
  bool shown(const Metric* metric) const { return !hidden_.contains(metric); }
  bool wants_probabilities() const;

  // Leaves out what this model cannot be scored by. Throws Error when nothing remains.
  void fit(const OpenModel& model, const RankRequest& request);

 private:
  // Drops every metric for which a reason is given.
  void drop(const std::function<std::string(const Metric&)>& reason_of);

  const Targets& targets_;
  std::vector<const Metric*> all_;
  std::set<const Metric*> hidden_;
  std::vector<LeftOut> left_out_;
};

}  // namespace assay
