#include "order_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "assay/rank/consensus.h"
#include "assay/rank/correlation.h"
#include "hub_scores.h"

namespace assay {
namespace {

std::vector<Candidate> candidates_of(const RankResult& result, const Metric* metric) {
  const std::size_t chosen = position_of(result, metric);
  const double sign = metric->direction == Direction::higher_is_better ? 1.0 : -1.0;
  std::vector<Candidate> candidates;
  for (const ScoredModel& model : result.models) {
    const MetricScore& score = model.scores[chosen];
    Candidate candidate{model.name, sign * score.score.value, score.replicates,
                        score.pair_replicates};
    for (double& replicate : candidate.replicates) replicate *= sign;
    for (double& replicate : candidate.pair_replicates) replicate *= sign;
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

// Over the models that both metrics could score.
std::optional<double> agreement_of(const std::vector<Candidate>& a,
                                   const std::vector<Candidate>& b) {
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i].value) || !std::isfinite(b[i].value)) continue;
    x.push_back(a[i].value);
    y.push_back(b[i].value);
  }
  return kendall_tau(x, y);
}

}  // namespace

void rank_models(const RankRequest& request, RankResult& result) {
  Columns columns;
  for (const Metric* metric : result.metrics) {
    if (is_default(*metric)) columns.push_back(candidates_of(result, metric));
  }
  if (columns.size() > 1) result.consensus = mean_ranks(columns);
  const bool consensus = request.by_consensus && columns.size() > 1;
  const bool available =
      std::find(result.metrics.begin(), result.metrics.end(), request.by) != result.metrics.end();
  result.by = consensus ? nullptr : available ? request.by : result.metrics.front();
  result.ranking = consensus ? rank_by_consensus(columns, request.level)
                             : rank_candidates(candidates_of(result, result.by), request.level);
}

void add_costs(const GivenHub& hub, RankResult& result) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const Place& place : result.ranking.places) {
    ScoredModel& model = result.models[static_cast<std::size_t>(place.candidate)];
    const auto cost = hub.costs.find(model.name);
    if (cost == hub.costs.end()) continue;
    model.cost = cost->second;
    model.digests.clear();  // the network and the images say more than shards of the cache
    model.pareto = cost->second.latency_ms < fastest;
    fastest = std::min(fastest, cost->second.latency_ms);
  }
}

void add_agreement(RankResult& result) {
  constexpr std::size_t fewest_models = 3;
  if (result.metrics.size() < 2 || result.models.size() < fewest_models) return;
  Columns columns;
  for (const Metric* metric : result.metrics) columns.push_back(candidates_of(result, metric));
  for (std::size_t a = 0; a < columns.size(); ++a) {
    result.agreement.emplace_back();
    for (std::size_t b = 0; b < columns.size(); ++b) {
      // Ties keep tau-a of a metric with itself below 1, which would only puzzle.
      result.agreement[a].push_back(a == b ? 1.0 : agreement_of(columns[a], columns[b]));
    }
  }
}

void add_disagreements(RankResult& result) {
  if (result.consensus.empty() || result.models.size() < 2) return;
  const std::string& winner =
      result.models[static_cast<std::size_t>(result.ranking.places.front().candidate)].name;
  std::string others;
  for (const Metric* metric : result.metrics) {
    if (!is_default(*metric)) continue;
    const std::vector<Candidate> candidates = candidates_of(result, metric);
    const auto best =
        std::max_element(candidates.begin(), candidates.end(),
                         [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
    if (best->name == winner) continue;
    others +=
        fmt::format("{}{} puts {} first", others.empty() ? "" : ", ", metric->name, best->name);
  }
  if (!others.empty())
    result.notes.push_back(
        fmt::format("the metrics disagree on the winner, {}: {}", winner, others));
}

}  // namespace assay
