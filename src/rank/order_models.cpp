#include "rank/order_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "assay/correlation.h"
#include "rank/balance.h"
#include "rank/consensus.h"
#include "rank/contributions.h"
#include "rank/held_out_score.h"
#include "rank/hub_settings.h"
#include "rank/resampled_ranks.h"

namespace assay {
namespace {

// Differences of scores up to this are rounding.
double rounding_of(double value) { return 1e-9 * std::max(1.0, std::abs(value)); }

std::vector<Candidate> candidates_of(const RankResult& result, const Metric* metric) {
  const std::size_t chosen = metric_index(result, metric);
  const double sign = metric->direction == Direction::higher_is_better ? 1.0 : -1.0;
  std::vector<Candidate> candidates;
  for (const ScoredModel& model : result.models) {
    const MetricScore& score = model.scores[chosen];
    ScoreContributions from = contributions_of(score);
    for (std::vector<double>* values : {&from.units, &from.pairs, &from.triples}) {
      for (double& value : *values) value *= sign;
    }
    candidates.push_back({model.name, sign * score.score.value, std::move(from.units),
                          std::move(from.pairs), std::move(from.triples),
                          rounding_of(score.score.value)});
  }
  return candidates;
}

// The same as the consensus sees them.
std::vector<Candidate> voters_of(const RankResult& result, const Metric* metric) {
  if (!result.by_held_out) return candidates_of(result, metric);
  const std::size_t chosen = metric_index(result, metric);
  std::vector<Candidate> candidates;
  for (const ScoredModel& model : result.models) {
    const MetricScore& score = model.scores[chosen];
    candidates.push_back({model.name,
                          vote_of(result, score),
                          score.held_out->contributions,
                          {},
                          {},
                          rounding_of(score.held_out->value)});
  }
  return candidates;
}

// Mean ranks within each draw, as the consensus over all of them is found.
std::vector<std::vector<double>> consensus_of_draws(const RankResult& result) {
  std::vector<std::vector<double>> out;
  for (std::size_t draw = 0; draw < static_cast<std::size_t>(result.draws); ++draw) {
    Columns columns;
    for (const Metric* metric : result.consensus_metrics) {
      const bool higher = metric->direction == Direction::higher_is_better;
      std::vector<Candidate> candidates;
      for (const ScoredModel& model : result.models) {
        const MetricScore& score = model.scores[metric_index(result, metric)];
        const double value = score.draws[draw];
        candidates.push_back({model.name, result.by_held_out ? score.held_out->draws[draw]
                                          : higher           ? value
                                                             : -value});
      }
      columns.push_back(std::move(candidates));
    }
    out.push_back(mean_ranks(columns));
  }
  return out;
}

// Resamples weight the same units in all metrics: one whose intervals rest on folds where others'
// rest on rows keeps its values.
void keep_common_units(Columns& columns) {
  const auto units = static_cast<std::size_t>(units_of(columns));
  for (std::vector<Candidate>& column : columns) {
    for (Candidate& one : column) {
      if (one.contributions.size() == units) continue;
      one.contributions.clear();
      one.pair_contributions.clear();
      one.triple_contributions.clear();
    }
  }
}

// The balance of a metric's parts over the models, nothing where they are not known.
std::optional<double> balance_over(const RankResult& result, const Metric& metric) {
  const std::size_t place = metric_index(result, &metric);
  std::array<std::vector<double>, 2> values;
  for (const ScoredModel& model : result.models) {
    for (const auto& [name, value] : model.scores[place].score.details) {
      for (std::size_t part = 0; part < values.size(); ++part)
        if (name == metric.parts[part]) values[part].push_back(value);
    }
  }
  const bool complete = values[0].size() == result.models.size();
  return complete ? balance_of(values[0], values[1]) : std::nullopt;
}

// Which metrics count in the consensus, and a note of those that do not.
void choose_consensus_metrics(RankResult& result) {
  std::vector<const Metric*> unbalanced;
  for (const Metric* metric : result.metrics) {
    if (!metric->parts[0].empty()) {
      if (const std::optional<double> ratio = balance_over(result, *metric))
        result.balance[metric] = *ratio;
    }
    if (!may_vote(*metric)) continue;
    if (metric->votes_on_classes_only && result.target_kind != TargetKind::classes) continue;
    const auto balance = result.balance.find(metric);
    const bool votes = balance == result.balance.end() || is_balanced(balance->second);
    (votes ? result.consensus_metrics : unbalanced).push_back(metric);
  }
  if (result.consensus_metrics.size() < 2) {  // better an unbalanced vote than none
    result.consensus_metrics.insert(result.consensus_metrics.end(), unbalanced.begin(),
                                    unbalanced.end());
    return;
  }
  for (const Metric* metric : unbalanced) {
    result.notes.push_back(fmt::format(
        "{} has no say in the consensus: over this hub its '{}' varies {:.2g} times as much as its "
        "'{}', so that {} alone would order the models (about 1 is good, beyond 0.1 to 10 useless)",
        metric->name, metric->parts[0], result.balance[metric], metric->parts[1],
        result.balance[metric] > 1.0 ? "the first" : "the second"));
  }
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

void order_models(const RankRequest& request, RankResult& result) {
  choose_consensus_metrics(result);
  use_held_out(result);
  Columns columns;
  for (const Metric* metric : result.consensus_metrics)
    columns.push_back(voters_of(result, metric));
  keep_common_units(columns);
  if (columns.size() > 1) {
    result.consensus = mean_ranks(columns);
    result.draw_consensus = consensus_of_draws(result);
  }
  const bool consensus = request.by_consensus && columns.size() > 1;
  const bool available =
      std::find(result.metrics.begin(), result.metrics.end(), request.by) != result.metrics.end();
  result.by = consensus ? nullptr : available ? request.by : result.metrics.front();
  result.ranking = consensus ? rank_by_consensus(columns, request.level)
                             : rank_candidates(candidates_of(result, result.by), request.level);
}

void add_costs(const Hub& hub, RankResult& result) {
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

}  // namespace assay
