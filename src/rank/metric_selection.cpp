#include "rank/metric_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "core/text.h"

namespace assay {

std::string reason_left_out(const Metric& metric, const Targets& targets, bool probabilities) {
  const bool soft = targets.kind == TargetKind::soft_classes;
  if (metric.classes_only && targets.kind != TargetKind::classes && !(soft && metric.soft_labels)) {
    if (soft) return "needs one class per sample, not soft labels";
    if (targets.kind == TargetKind::regression && !metric.not_for_numbers.empty())
      return fmt::format("needs classes; {}", metric.not_for_numbers);
    return "needs classes, not regression or multi-label targets";
  }
  if (metric.from_probabilities != nullptr && !probabilities)
    return "needs source probabilities (NAME/probs.npy or a member 'probs')";
  return {};
}

MetricSelection::MetricSelection(const RankRequest& request, const Targets& targets)
    : all_(request.metrics) {
  for (const Metric* metric : request.metrics) {
    if (metric->setting_judge.empty()) continue;
    const Metric* judge = &find_metric(metric->setting_judge);
    if (std::find(all_.begin(), all_.end(), judge) == all_.end()) {
      all_.push_back(judge);
      helpers_.insert(judge);
    }
  }
  drop([&](const Metric& m) -> std::string {
    if (request.source_weights && m.from_probabilities != nullptr && !m.any_weights)
      return "needs probabilities, not the weights of `source_weights`";
    return reason_left_out(m, targets, /*probabilities=*/true);
  });
}

SourceScores MetricSelection::wanted_scores(const RankRequest& request) const {
  const bool any = std::any_of(all_.begin(), all_.end(),
                               [](const Metric* m) { return m->from_probabilities != nullptr; });
  if (!any) return SourceScores::unread;
  return request.source_weights ? SourceScores::weights : SourceScores::probabilities;
}

void MetricSelection::drop_unusable_for(const OpenModel& model, const RankRequest& request,
                                        const Targets& targets, Index threads) {
  drop([&](const Metric& m) {
    const std::string reason = reason_left_out(m, targets, model.probabilities.has_value());
    return reason.empty() ? reason : fmt::format("{}; {} has none", reason, model.name);
  });
  if (request.subsample) return;
  drop([&](const Metric& m) -> std::string {
    if (m.from_samples == nullptr) return {};
    const SampleMemory memory =
        sample_memory(m, *model.rows, targets, threads, request.memory_limit);
    if (!memory.fits) {
      return fmt::format(
          "it takes {} of memory for {}, the limit is {}; raise `memory_limit` or draw fewer rows "
          "with `subsample`",
          human_bytes(static_cast<double>(memory.least)), model.name,
          human_bytes(static_cast<double>(request.memory_limit)));
    }
    if (memory.reading == Reading::drawn) {
      const auto known = draw_sizes_.try_emplace(&m, memory.drawn).first;
      known->second = std::min(known->second, memory.drawn);
    }
    return {};
  });
}

void MetricSelection::drop(const std::function<std::string(const Metric&)>& reason_of) {
  std::vector<const Metric*> kept;
  for (const Metric* metric : all_) {
    std::string reason = reason_of(*metric);
    if (reason.empty()) {
      kept.push_back(metric);
    } else if (requested(metric)) {
      left_out_.push_back({metric, std::move(reason)});
    }
  }
  if (std::none_of(kept.begin(), kept.end(), [&](const Metric* m) { return requested(m); })) {
    std::string reasons;
    for (const LeftOut& one : left_out_)
      reasons += fmt::format("\n  {}: {}", one.metric->name, one.reason);
    fail_input(fmt::format("no metric is left to rank by:{}", reasons));
  }
  all_ = std::move(kept);
}

void drop_helper_metrics(const MetricSelection& selection, RankResult& result) {
  const auto drop_from = [&](std::vector<ScoredModel>& models) {
    for (ScoredModel& model : models) {
      std::erase_if(model.scores,
                    [&](const MetricScore& s) { return !selection.requested(s.metric); });
    }
  };
  drop_from(result.models);
  drop_from(result.controls);
  std::erase_if(result.metrics, [&](const Metric* m) { return !selection.requested(m); });
}

void choose_metrics(RankRequest& request, std::string_view list, std::string_view by) {
  request.metrics = parse_metrics(list);
  request.by_consensus = by == "consensus" || (by.empty() && (list == "default" || list == "all"));
  if (by == "consensus" &&
      std::ranges::count_if(request.metrics, [](const Metric* m) { return may_vote(*m); }) < 2) {
    fail_input(
        "`by` consensus: needs two or more of logme, ridge_loo, knn, ncc_loo, linear_valid and "
        "pactran_gauss; add them to `metric`");
  }
  if (by.empty() || request.by_consensus) return;
  request.by = &find_metric(by);
  if (std::ranges::find(request.metrics, request.by) == request.metrics.end())
    request.metrics.push_back(request.by);
}

void show_accuracy_first(RankRequest& request) {
  if (!request.by_consensus && request.by == nullptr) request.by = request.metrics.front();
  const Metric* accuracy = &find_metric("accuracy");
  std::erase(request.metrics, accuracy);
  request.metrics.insert(request.metrics.begin(), accuracy);
}

}  // namespace assay
