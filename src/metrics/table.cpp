#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/core/error.h"
#include "assay/core/text.h"
#include "assay/metrics/logme.h"
#include "assay/metrics/metric.h"

namespace assay {
namespace {

constexpr std::array kMetrics = {
    Metric{.name = "logme",
           .title = "LogME",
           .summary = "log of the maximum evidence of the targets given the features",
           .reference = "You et al., Ranking and Tuning Pre-trained Models, JMLR 2022",
           .unit = "nats/sample",
           .needs = "classes, multi-label or regression targets",
           .direction = Direction::higher_is_better,
           .score = logme},
};

// The answer we stand by when the user names no metric (the contract's list, as far as it exists).
constexpr std::array<std::string_view, 1> kDefault = {"logme"};

static_assert(std::ranges::is_sorted(kMetrics, {}, &Metric::name), "rows are sorted by name");

}  // namespace

std::span<const Metric> all_metrics() { return kMetrics; }

const Metric& find_metric(std::string_view name) {
  const auto* const row = std::ranges::find(kMetrics, name, &Metric::name);
  if (row != kMetrics.end()) return *row;
  std::vector<std::string> names;
  for (const Metric& metric : kMetrics) names.emplace_back(metric.name);
  const std::string hint = closest_match(name, names);
  throw Error(ErrorCode::unknown,
              fmt::format("unknown metric '{}'{} run `assay metrics` for the list", name,
                          hint.empty() ? ";" : fmt::format("; did you mean '{}'?", hint)));
}

std::vector<const Metric*> parse_metrics(std::string_view list) {
  std::vector<const Metric*> chosen;
  const auto add = [&](const Metric& metric) {
    if (std::ranges::find(chosen, &metric) == chosen.end()) chosen.push_back(&metric);
  };
  for (const std::string& word : split_list(list)) {
    if (word == "all") {
      for (const Metric& metric : kMetrics) add(metric);
    } else if (word == "default") {
      for (const std::string_view name : kDefault) add(find_metric(name));
    } else {
      add(find_metric(word));
    }
  }
  return chosen;
}

}  // namespace assay
