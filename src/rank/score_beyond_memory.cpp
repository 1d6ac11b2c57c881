#include "rank/score_beyond_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/clock.h"
#include "data/draw_evenly.h"
#include "data/moments_pass.h"
#include "data/read_chosen.h"
#include "data/subset.h"
#include "metrics/moments_of_samples.h"
#include "metrics/samples.h"
#include "rank/row_spread.h"
#include "rank/sample_reading.h"

namespace assay {
namespace {

// Features of a draw, in the type they are stored in.
Samples samples_of_draw(const ScoringTask& task, const std::vector<Index>& rows) {
  const auto make = [&](auto features) {
    const std::uint64_t seed = task.options.seed;
    const bool center = task.options.center;
    const Targets own = targets_of_rows(task.targets, rows);
    if (own.kind == TargetKind::classes)
      return Samples(task.pool, std::move(features), own.labels, seed, center);
    return Samples(task.pool, std::move(features), TargetValues{own.values, own.kind}, seed,
                   center);
  };
  Samples out = task.rows.is_double()
                    ? make(read_chosen(task.pool, task.rows, rows))
                    : make(FloatFeatures(read_chosen_floats(task.pool, task.rows, rows)));
  out.use(task.options.pactran);
  if (!task.groups.empty()) {
    std::vector<Label> groups;
    for (const Index row : rows) groups.push_back(task.groups[static_cast<std::size_t>(row)]);
    out.keep_together(std::move(groups));
  }
  return out;
}

double mean_of(double a, double b, double so_far) { return a + (b - a) / so_far; }

// Numbers that every draw gives; what only some have is dropped.
void add_draw(const Score& one, double draws, Score& sum) {
  sum.value = mean_of(sum.value, one.value, draws);
  sum.error = std::max(sum.error, one.error);
  sum.extra_variance = mean_of(sum.extra_variance, one.extra_variance, draws);
  sum.test_variance = mean_of(sum.test_variance, one.test_variance, draws);
  if (one.variants.size() != sum.variants.size()) sum.variants.clear();
  for (std::size_t k = 0; k < sum.variants.size(); ++k)
    sum.variants[k] = mean_of(sum.variants[k], one.variants[k], draws);
  if (one.per_class.size() != sum.per_class.size()) sum.per_class.clear();
  for (std::size_t k = 0; k < sum.per_class.size(); ++k)
    sum.per_class[k] = mean_of(sum.per_class[k], one.per_class[k], draws);
  for (auto& [name, value] : sum.details) {
    const auto same = std::ranges::find(one.details, name, &std::pair<std::string, double>::first);
    value = same != one.details.end() ? mean_of(value, same->second, draws)
                                      : std::numeric_limits<double>::quiet_NaN();
  }
  std::erase_if(sum.details, [](const auto& detail) { return std::isnan(detail.second); });
  for (const std::string& flag : one.flags)
    if (std::ranges::find(sum.flags, flag) == sum.flags.end()) sum.flags.push_back(flag);
}

double deviation_of(const std::vector<double>& values, double mean) {
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

void add_test_variance(const ScoringTask& task, Score& score) {
  if (task.options.test_rows > 0)
    score.extra_variance += score.test_variance / static_cast<double>(task.options.test_rows);
}

}  // namespace

MetricScore score_streamed(const ScoringTask& task, const Metric& metric,
                           std::shared_ptr<const Moments>& moments) {
  const double begun = monotonic_seconds();
  const Index held = moments_bytes(task.rows.cols(), task.targets.columns()) +
                     kNumbersPerSample * Index{sizeof(double)} * task.rows.rows();
  // Not to the last byte: what a program frees it may keep.
  const Index memory = std::max<Index>(0, task.options.memory_limit - held) / 4 * 3;
  if (!moments && needs_moments(metric)) {
    const Samples all(task.pool, StreamedFeatures{&task.rows, nullptr, memory}, task.targets.labels,
                      task.options.seed);
    moments = moments_of(all, Precision::float_products);
  }
  Samples samples(task.pool, StreamedFeatures{&task.rows, moments, memory}, task.targets.labels,
                  task.options.seed, task.options.center);
  samples.search_exactly_up_to(task.options.knn_exact_rows);
  MetricScore result{.metric = &metric, .score = metric.from_samples(samples)};
  if (metric.replication == Replication::per_sample) find_spread(task, result);
  result.seconds = monotonic_seconds() - begun;
  return result;
}

MetricScore score_drawn(const ScoringTask& task, const Metric& metric, Index rows) {
  const double begun = monotonic_seconds();
  const std::vector<std::vector<Index>> draws =
      draw_evenly(task.targets.labels, task.rows.rows(), rows, kSampleDraws, task.options.seed);
  MetricScore result{.metric = &metric};
  std::vector<double> per_row(static_cast<std::size_t>(task.rows.rows()),
                              std::numeric_limits<double>::quiet_NaN());
  std::vector<double> values;
  for (const std::vector<Index>& draw : draws) {
    const Score one = metric.from_samples(samples_of_draw(task, draw));
    for (std::size_t i = 0; i < one.per_sample.size(); ++i)
      per_row[static_cast<std::size_t>(draw[i])] = one.per_sample[i];
    values.push_back(one.value);
    if (values.size() == 1) {
      result.score = one;
    } else {
      add_draw(one, static_cast<double>(values.size()), result.score);
    }
  }
  Score& score = result.score;
  score.held_out.clear();
  score.extra_variance /= static_cast<double>(kSampleDraws);  // draws share no row
  score.flags.emplace_back("drawn_rows");
  score.details.emplace_back("drawn_rows", static_cast<double>(draws.front().size()));
  score.details.emplace_back("sd_of_draws", deviation_of(values, score.value));
  add_test_variance(task, score);
  score.per_sample = score.per_sample.empty() ? std::vector<double>{} : std::move(per_row);
  if (metric.replication == Replication::per_sample) find_spread(task, result);
  result.seconds = monotonic_seconds() - begun;
  return result;
}

}  // namespace assay
