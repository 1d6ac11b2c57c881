#include "rank/score_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "data/subsample.h"
#include "metrics/make_problem.h"
#include "rank/hub_settings.h"
#include "rank/score_model.h"

namespace assay {
namespace {

ScoreOptions options_of(const RankRequest& request, TargetKind kind, const Matrix* probabilities) {
  ScoreOptions options;
  options.center = centers(request, kind);
  options.memory_limit = request.memory_limit;
  options.refit = request.refit;
  options.fixed_points = request.fixed_points && !request.subsample;
  options.probabilities = probabilities;
  options.seed = request.seed;
  return options;
}

// The setting for all rows (draw < 0) or for one draw.
std::size_t setting_of(const RankResult& result, const Metric* metric, Index draw) {
  const Metric& judge = find_metric(metric->settled_by);
  const std::size_t mine = position_of(result, metric);
  const std::size_t other = position_of(result, &judge);
  const auto k = static_cast<std::size_t>(draw);
  std::vector<std::vector<double>> variants;
  std::vector<double> judged;
  for (const ScoredModel& model : result.models) {
    const MetricScore& score = model.scores[mine];
    const MetricScore& opinion = model.scores[other];
    variants.push_back(draw < 0 ? score.score.variants : score.draw_variants[k]);
    judged.push_back(draw < 0 ? opinion.score.value : opinion.draws[k]);
  }
  return best_setting(*metric, variants, judge, judged);
}

double detail_of(const Score& score, const std::string& name) {
  const auto found = std::ranges::find(score.details, name, &std::pair<std::string, double>::first);
  return found != score.details.end() ? found->second : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

ScoredModel score_all_rows(ThreadPool& pool, const OpenModel& model, const Targets& targets,
                           const Folds& folds, const std::vector<const Metric*>& metrics,
                           const RankRequest& request, const ProgressCallback& progress) {
  const Matrix* probabilities = model.probabilities ? &*model.probabilities : nullptr;
  std::vector<MetricScore> scores =
      score_model(pool, *model.rows, targets, folds, metrics,
                  options_of(request, targets.kind, probabilities), progress);
  return {model.name, model.rows->rows(), model.rows->cols(), std::move(scores),
          model.rows->digests()};
}

ScoredModel score_draws(ThreadPool& pool, const OpenModel& model, const Targets& targets,
                        const std::vector<std::vector<Index>>& draws,
                        const std::vector<const Metric*>& metrics, const RankRequest& request,
                        const ProgressCallback& progress) {
  require_matching(*model.rows, targets);
  std::vector<std::vector<MetricScore>> scored(draws.size());
  std::mutex mutex;
  double done = 0.0;
  pool.run(static_cast<Index>(draws.size()), [&](Index draw) {
    const std::vector<Index>& rows = draws[static_cast<std::size_t>(draw)];
    std::optional<Matrix> probabilities;
    if (model.probabilities) probabilities = (*model.probabilities)(rows, Eigen::all);
    scored[static_cast<std::size_t>(draw)] = score_model(
        pool, *rows_of_subset(*model.rows, rows), targets_of_rows(targets, rows), {}, metrics,
        options_of(request, targets.kind, probabilities ? &*probabilities : nullptr), {});
    const std::lock_guard lock(mutex);
    if (progress) progress(++done / static_cast<double>(draws.size()), model.name);
  });
  ScoredModel out{model.name, static_cast<Index>(draws.front().size()), model.rows->cols(),
                  std::move(scored.front()), model.rows->digests()};
  for (std::size_t m = 0; m < out.scores.size(); ++m) {
    MetricScore& score = out.scores[m];
    score.draws.push_back(score.score.value);
    score.draw_variants.push_back(score.score.variants);
    std::erase_if(score.score.details, [&](const auto& detail) {
      return std::ranges::find(score.metric->parts, detail.first) == score.metric->parts.end();
    });
    for (std::size_t draw = 1; draw < scored.size(); ++draw) {
      for (auto& [name, sum] : score.score.details) sum += detail_of(scored[draw][m].score, name);
      score.draws.push_back(scored[draw][m].score.value);
      score.draw_variants.push_back(scored[draw][m].score.variants);
      score.seconds += scored[draw][m].seconds;
    }
  }
  return out;
}

std::size_t position_of(const RankResult& result, const Metric* metric) {
  return static_cast<std::size_t>(std::find(result.metrics.begin(), result.metrics.end(), metric) -
                                  result.metrics.begin());
}

void settle(RankResult& result) {
  for (const Metric* metric : result.metrics) {
    if (metric->settled_by.empty()) continue;
    std::vector<std::size_t>& settings = result.settings[metric];
    if (result.draws == 0) settings.push_back(setting_of(result, metric, -1));
    for (Index draw = 0; draw < result.draws; ++draw)
      settings.push_back(setting_of(result, metric, draw));
    const std::size_t mine = position_of(result, metric);
    for (ScoredModel& model : result.models) apply_settings(model.scores[mine], settings);
    for (ScoredModel& control : result.controls) apply_settings(control.scores[mine], settings);
  }
}

void take_means_of_draws(ScoredModel& model) {
  for (MetricScore& score : model.scores) {
    const auto count = static_cast<double>(score.draws.size());
    const double mean = std::accumulate(score.draws.begin(), score.draws.end(), 0.0) / count;
    double squares = 0.0;
    for (const double value : score.draws) squares += (value - mean) * (value - mean);
    score.score.value = mean;
    for (auto& [name, sum] : score.score.details) sum /= count;
    score.score.details.emplace_back("draws", count);
    if (count > 1.0) score.score.details.emplace_back("sd", std::sqrt(squares / (count - 1.0)));
  }
}

}  // namespace assay
