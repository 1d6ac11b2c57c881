#include "rank/metric_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "assay/features.h"
#include "core/text.h"
#include "data/read_samples.h"
#include "hub/open_rows.h"
#include "rank/score_model.h"

namespace assay {
OpenModel open_model(const ModelFiles& files, bool probabilities) {
  OpenModel model{files.name, open_rows(files), {}};
  if (!probabilities) return model;
  std::optional<Rows> source;
  if (files.probability_rows) source = files.probability_rows;
  if (!files.probabilities.empty()) source = open_rows(files.probabilities);
  if (!source && files.features.size() == 1)
    source = embedded_probabilities(files.features.front());
  if (!source) return model;
  if ((*source)->rows() != model.rows->rows()) {
    fail_input(fmt::format("{}: {} rows of probabilities, but {} has {} rows of features",
                           (*source)->where(), (*source)->rows(), model.rows->where(),
                           model.rows->rows()));
  }
  model.probabilities = read_probabilities(**source);
  return model;
}

MetricsInUse::MetricsInUse(const RankRequest& request, const Targets& targets)
    : targets_(targets), all_(request.metrics) {
  for (const Metric* metric : request.metrics) {
    if (metric->settled_by.empty()) continue;
    const Metric* judge = &find_metric(metric->settled_by);
    if (std::find(all_.begin(), all_.end(), judge) == all_.end()) {
      all_.push_back(judge);
      hidden_.insert(judge);
    }
  }
  drop([&](const Metric& m) { return reason_left_out(m, targets_, /*probabilities=*/true); });
}

bool MetricsInUse::wants_probabilities() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const Metric* m) { return m->from_probabilities != nullptr; });
}

void MetricsInUse::fit(const OpenModel& model, const RankRequest& request) {
  drop([&](const Metric& m) {
    const std::string reason = reason_left_out(m, targets_, model.probabilities.has_value());
    return reason.empty() ? reason : fmt::format("{}; {} has none", reason, model.name);
  });
  const Index needed = samples_memory(*model.rows);
  if (request.subsample || needed <= request.memory_limit) return;
  drop([&](const Metric& m) -> std::string {
    if (m.from_samples == nullptr) return {};
    return fmt::format(
        "it needs every sample at once, {} for {}; raise --memory-limit or draw "
        "fewer rows with --subsample",
        human_bytes(static_cast<double>(needed)), model.name);
  });
}

void MetricsInUse::drop(const std::function<std::string(const Metric&)>& reason_of) {
  std::vector<const Metric*> kept;
  for (const Metric* metric : all_) {
    std::string reason = reason_of(*metric);
    if (reason.empty()) {
      kept.push_back(metric);
    } else if (shown(metric)) {
      left_out_.push_back({metric, std::move(reason)});
    }
  }
  if (std::none_of(kept.begin(), kept.end(), [&](const Metric* m) { return shown(m); })) {
    std::string reasons;
    for (const LeftOut& one : left_out_)
      reasons += fmt::format("\n  {}: {}", one.metric->name, one.reason);
    fail_input(fmt::format("no metric is left to rank by:{}", reasons));
  }
  all_ = std::move(kept);
}

}  // namespace assay
