#include "rank/score_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "data/check_targets.h"
#include "data/subset.h"
#include "rank/fitted_here.h"
#include "rank/score_model.h"

namespace assay {
namespace {

ScoreOptions options_of(const RankPlan& plan, TargetKind kind, const Matrix* probabilities) {
  const RankRequest& request = plan.request;
  ScoreOptions options;
  options.knn_exact_rows = request.knn_exact_rows;
  options.draw_sizes = &plan.metrics.draw_sizes();
  options.center = centers(request, kind);
  options.memory_limit = request.memory_limit;
  options.refit = request.refit;
  options.closed_form = request.jackknife == Jackknife::closed_form;
  options.fixed_points = request.fixed_points && !request.subsample;
  options.probabilities = probabilities;
  options.test_rows = request.test_rows;
  options.pactran = request.pactran;
  options.seed = request.seed;
  return options;
}

double detail_of(const Score& score, const std::string& name) {
  const auto found = std::ranges::find(score.details, name, &std::pair<std::string, double>::first);
  return found != score.details.end() ? found->second : std::numeric_limits<double>::quiet_NaN();
}

// The same of what was held out: of all draws or of none.
void gather_held_out(const std::vector<std::vector<MetricScore>>& scored, std::size_t metric,
                     MetricScore& score) {
  HeldOutLikelihood all;
  for (const std::vector<MetricScore>& draw : scored) {
    if (!draw[metric].held_out) {
      score.held_out.reset();
      return;
    }
    all.draws.push_back(draw[metric].held_out->value);
  }
  score.held_out = std::move(all);
}

// Collects the draws of one metric in the score of the first; parts of the value are summed.
void gather_draws(const std::vector<std::vector<MetricScore>>& scored, std::size_t metric,
                  MetricScore& score) {
  score.draws.push_back(score.score.value);
  score.draw_variants.push_back(score.score.variants);
  std::erase_if(score.score.details, [&](const auto& detail) {
    return std::ranges::find(score.metric->parts, detail.first) == score.metric->parts.end();
  });
  for (std::size_t draw = 1; draw < scored.size(); ++draw) {
    const MetricScore& other = scored[draw][metric];
    for (auto& [name, sum] : score.score.details) sum += detail_of(other.score, name);
    score.draws.push_back(other.score.value);
    score.draw_variants.push_back(other.score.variants);
    score.seconds += other.seconds;
  }
}

ScoredModel score_draws(ThreadPool& pool, const RankPlan& plan, const OpenModel& model,
                        const Targets& targets, const std::vector<const Metric*>& metrics,
                        const ProgressCallback& progress) {
  require_matching(*model.rows, targets);
  std::vector<std::vector<MetricScore>> scored(plan.draws.size());
  std::mutex mutex;
  double done = 0.0;
  pool.run(static_cast<Index>(plan.draws.size()), [&](Index draw) {
    const std::vector<Index>& rows = plan.draws[static_cast<std::size_t>(draw)];
    std::optional<Matrix> probabilities;
    if (model.probabilities) probabilities = (*model.probabilities)(rows, Eigen::all);
    const ScoreOptions options =
        options_of(plan, targets.kind, probabilities ? &*probabilities : nullptr);
    const Rows drawn = rows_of_subset(*model.rows, rows);
    scored[static_cast<std::size_t>(draw)] =
        score_model({pool, *drawn, targets_of_rows(targets, rows), Folds{}, options, {}}, metrics);
    const std::lock_guard lock(mutex);
    if (progress) progress(++done / static_cast<double>(plan.draws.size()), model.name);
  });
  ScoredModel out{model.name, static_cast<Index>(plan.draws.front().size()), model.rows->cols(),
                  scored.front(), model.rows->digests()};
  for (std::size_t m = 0; m < out.scores.size(); ++m) {
    gather_draws(scored, m, out.scores[m]);
    gather_held_out(scored, m, out.scores[m]);
  }
  return out;
}

}  // namespace

ScoredModel score_rows(ThreadPool& pool, const RankPlan& plan, const OpenModel& model,
                       const Targets& targets, const std::vector<const Metric*>& metrics,
                       const ProgressCallback& progress) {
  if (!plan.draws.empty()) return score_draws(pool, plan, model, targets, metrics, progress);
  const ScoreOptions options =
      options_of(plan, targets.kind, model.probabilities ? &*model.probabilities : nullptr);
  std::vector<MetricScore> scores = score_model(
      {pool, *model.rows, targets, plan.folds, options, progress, plan.groups}, metrics);
  mark_fitted_here(*model.rows, scores);
  return {model.name, model.rows->rows(), model.rows->cols(), std::move(scores),
          model.rows->digests()};
}

void average_draws(ScoredModel& model) {
  for (MetricScore& score : model.scores) {
    const auto count = static_cast<double>(score.draws.size());
    const double mean = std::accumulate(score.draws.begin(), score.draws.end(), 0.0) / count;
    double squares = 0.0;
    for (const double value : score.draws) squares += (value - mean) * (value - mean);
    score.score.value = mean;
    if (score.held_out) {
      const std::vector<double>& draws = score.held_out->draws;
      score.held_out->value = std::accumulate(draws.begin(), draws.end(), 0.0) / count;
    }
    for (auto& [name, sum] : score.score.details) sum /= count;
    score.score.details.emplace_back("draws", count);
    if (count > 1.0) score.score.details.emplace_back("sd", std::sqrt(squares / (count - 1.0)));
  }
}

}  // namespace assay
