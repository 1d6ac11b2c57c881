#include "tune/tune_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "stats/paired_test.h"

namespace assay {
namespace {

double judged_value(const TuneRun& run) {
  const Quality& quality = run.test ? *run.test : *run.training.epochs.back().validation;
  return quality.accuracy.value_or(quality.loss);
}

double median_epoch(const std::vector<const TuneRun*>& runs) {
  std::vector<double> seconds;
  for (const TuneRun* run : runs)
    for (const EpochRecord& epoch : run->training.epochs) seconds.push_back(epoch.seconds);
  if (seconds.empty()) return 0.0;
  const auto middle = seconds.begin() + static_cast<Index>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

std::map<std::uint64_t, double> values_by_seed(const std::vector<const TuneRun*>& runs) {
  std::map<std::uint64_t, double> out;
  for (const TuneRun* run : runs) out[run->seed] = judged_value(*run);
  return out;
}

// Over the seeds that both have.
std::optional<PairedTest> against_plain(const std::vector<const TuneRun*>& runs,
                                        const std::vector<const TuneRun*>& plain) {
  const std::map<std::uint64_t, double> reference = values_by_seed(plain);
  std::vector<double> a;
  std::vector<double> b;
  for (const auto& [seed, value] : values_by_seed(runs)) {
    const auto found = reference.find(seed);
    if (found == reference.end()) continue;
    a.push_back(value);
    b.push_back(found->second);
  }
  if (a.empty()) return std::nullopt;
  return paired_t_test(a, b);
}

}  // namespace

std::vector<TuneSummary> tune_summaries(const std::vector<TuneRun>& runs) {
  std::vector<std::pair<TuneSummary, std::vector<const TuneRun*>>> groups;
  for (const TuneRun& run : runs) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) {
      return one.first.method == run.method && one.first.teachers == run.teachers;
    });
    if (group == groups.end()) {
      groups.push_back({TuneSummary{.method = run.method,
                                    .teachers = run.teachers,
                                    .lambda = run.lambda,
                                    .ratio = run.ratio},
                        {}});
      group = std::prev(groups.end());
    }
    group->first.values.push_back(judged_value(run));
    group->second.push_back(&run);
  }
  const auto plain = std::find_if(groups.begin(), groups.end(), [](const auto& one) {
    return one.first.method == TuneMethod::finetune;
  });
  std::vector<TuneSummary> out;
  for (auto& [summary, members] : groups) {
    const auto count = static_cast<double>(summary.values.size());
    summary.mean = std::accumulate(summary.values.begin(), summary.values.end(), 0.0) / count;
    double squares = 0.0;
    for (const double value : summary.values) squares += std::pow(value - summary.mean, 2.0);
    if (count > 1.0) {
      summary.sd = std::sqrt(squares / (count - 1.0));
      summary.standard_error = *summary.sd / std::sqrt(count);
    }
    summary.seconds_per_epoch = median_epoch(members);
    if (plain != groups.end() && summary.method != TuneMethod::finetune)
      summary.against_finetune = against_plain(members, plain->second);
    out.push_back(summary);
  }
  return out;
}

}  // namespace assay
