// Do the intervals of `assay rank` hold what they promise?
//
// For each scenario many data sets are drawn from a known population. The true score of a model is
// the mean of its scores over all draws, the true order follows from the strength of its signal.
// Counted: how often the 95 % interval of a score covers the true score, how often the rank
// interval covers the true rank (all ranks of a true tie), how wide the intervals are, how often
// models that differ are told apart, and how often true ties are.
//
//     coverage_study [DRAWS [METRIC [refit]]]      prints a Markdown table; the same for the same
//     number of draws
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "assay/metric.h"
#include "assay/rank.h"
#include "core/memory.h"
#include "data/folds.h"
#include "rank/contributions.h"
#include "rank/ranking.h"
#include "rank/score_model.h"
#include "simulated_hub.h"

namespace assay::study {
namespace {

constexpr double kLevel = 0.95;

struct Draw {
  std::vector<double> scores;
  std::vector<Interval> intervals;
  Ranking ranking;
};

Draw rank_draw(ThreadPool& pool, const Scenario& scenario, const Metric& metric, bool refit,
               std::uint64_t seed) {
  const DataSet data = draw(scenario, seed);
  const Folds folds = stratified_folds(data.targets, 20, seed);
  Draw out;
  std::vector<Candidate> candidates;
  for (std::size_t k = 0; k < data.features.size(); ++k) {
    const Rows rows = rows_of_matrix(data.features[k], fmt::format("model {}", k));
    const ScoreOptions options{.memory_limit = default_memory_limit(), .closed_form = !refit};
    const MetricScore score =
        score_model({pool, *rows, data.targets, folds, options, {}}, {&metric}).front();
    out.scores.push_back(score.score.value);
    out.intervals.push_back(*score_interval(score, kLevel));
    const ScoreContributions from = contributions_of(score);
    candidates.push_back(
        {fmt::format("{}", k), score.score.value, from.units, from.pairs, from.triples});
  }
  out.ranking = rank_candidates(candidates, kLevel);
  return out;
}

struct Tally {
  double score_covered = 0, score_width = 0, score_sd = 0, rank_covered = 0, rank_width = 0;
  double pairs = 0, apart = 0, ties = 0, ties_apart = 0, models = 0;
};

// The ranks that the population allows model k: one, or a range among equals.
std::pair<Index, Index> true_ranks(const Scenario& scenario, std::size_t k) {
  Index better = 0;
  Index equal = 0;
  for (const double strength : scenario.strengths) {
    better += strength > scenario.strengths[k] ? 1 : 0;
    equal += strength == scenario.strengths[k] ? 1 : 0;
  }
  return {better + 1, better + equal};
}

Tally tally(const Scenario& scenario, const std::vector<Draw>& draws) {
  Tally t;
  const std::size_t models = scenario.strengths.size();
  for (std::size_t k = 0; k < models; ++k) {
    double mean = 0.0;
    for (const Draw& d : draws) mean += d.scores[k] / static_cast<double>(draws.size());
    double variance = 0.0;
    for (const Draw& d : draws) variance += (d.scores[k] - mean) * (d.scores[k] - mean);
    t.score_sd += std::sqrt(variance / static_cast<double>(draws.size() - 1)) *
                  static_cast<double>(draws.size());
    const auto [low, high] = true_ranks(scenario, k);
    for (const Draw& d : draws) {
      t.models += 1;
      t.score_covered += d.intervals[k].low <= mean && mean <= d.intervals[k].high ? 1 : 0;
      t.score_width += d.intervals[k].high - d.intervals[k].low;
      const auto place =
          std::find_if(d.ranking.places.begin(), d.ranking.places.end(),
                       [&](const Place& p) { return p.candidate == static_cast<Index>(k); });
      t.rank_covered += *place->rank_low <= low && high <= *place->rank_high ? 1 : 0;
      t.rank_width += static_cast<double>(*place->rank_high - *place->rank_low + 1);
      for (std::size_t j = 0; j < k; ++j) {
        const bool apart = std::ranges::binary_search(place->separable_from, static_cast<Index>(j));
        const bool tie = scenario.strengths[j] == scenario.strengths[k];
        (tie ? t.ties : t.pairs) += 1;
        (tie ? t.ties_apart : t.apart) += apart ? 1 : 0;
      }
    }
  }
  return t;
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100.0 * part / whole) : "-";
}

void run(Index draws_wanted, const Metric& metric, bool refit) {
  const std::vector<double> ladder = {0.20, 0.20, 0.22, 0.26, 0.32, 0.40, 0.41, 0.55};
  const std::vector<double> close = {0.30, 0.30, 0.305, 0.31, 0.315, 0.32};
  const std::vector<Scenario> scenarios = {
      {"500 x 32, 5 classes", 500, 32, {0.2, 0.2, 0.2, 0.2, 0.2}, ladder, 0.5, false},
      {"120 x 16, 3 classes", 120, 16, {0.34, 0.33, 0.33}, ladder, 0.5, false},
      {"near ties, 500 x 32", 500, 32, {0.2, 0.2, 0.2, 0.2, 0.2}, close, 0.5, false},
      {"unequal classes, 500 x 32", 500, 32, {0.6, 0.25, 0.1, 0.05}, ladder, 0.5, false},
      {"heavy tails, 500 x 32", 500, 32, {0.25, 0.25, 0.25, 0.25}, ladder, 0.5, true},
      {"regression, 300 x 20", 300, 20, {}, {0.5, 0.5, 0.6, 0.8, 1.0, 1.05, 1.5}, 0.5, false},
      {"n < D, 150 x 300, 3 classes",
       150,
       300,
       {0.34, 0.33, 0.33},
       {0.1, 0.1, 0.15, 0.2, 0.3},
       0.5,
       false},
      {"n = 2 D, 120 x 60, 3 classes",
       120,
       60,
       {0.34, 0.33, 0.33},
       {0.2, 0.2, 0.25, 0.3, 0.4},
       0.5,
       false},
      {"n = D, 200 x 200, 4 classes",
       200,
       200,
       {0.25, 0.25, 0.25, 0.25},
       {0.1, 0.1, 0.15, 0.2, 0.3},
       0.5,
       false},
      {"n < D, regression, 100 x 250", 100, 250, {}, {0.5, 0.5, 1.0, 1.5, 2.0}, 0.5, false},
      {"n = D / 10, 100 x 1000, 2 classes",
       100,
       1000,
       {0.5, 0.5},
       {0.05, 0.05, 0.1, 0.15, 0.2},
       0.5,
       false},
  };
  fmt::print("{}: {} draws a scenario, 95 % intervals {}.\n\n", metric.name, draws_wanted,
             refit ? "from 20 refits" : "in closed form");
  fmt::print(
      "| scenario | models | score covered | width / sd of the score | rank covered | rank width | "
      "different pairs told apart | true ties told apart |\n|---|---|---|---|---|---|---|---|\n");
  ThreadPool pool(0);
  for (const Scenario& scenario : scenarios) {
    if (metric.classes_only && scenario.class_shares.empty()) continue;
    std::vector<Draw> draws(static_cast<std::size_t>(draws_wanted));
    pool.run(draws_wanted, [&](Index i) {
      draws[static_cast<std::size_t>(i)] =
          rank_draw(pool, scenario, metric, refit, static_cast<std::uint64_t>(i));
    });
    const Tally t = tally(scenario, draws);
    fmt::print("| {} | {} | {} | {:.2f} | {} | {:.2f} | {} | {} |\n", scenario.name,
               scenario.strengths.size(), percent(t.score_covered, t.models),
               t.score_width / t.score_sd, percent(t.rank_covered, t.models),
               t.rank_width / t.models, percent(t.apart, t.pairs), percent(t.ties_apart, t.ties));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace assay::study

int main(int argc, char** argv) {
  const long draws = argc > 1 ? std::atol(argv[1]) : 1000;
  const std::string metric = argc > 2 ? argv[2] : "logme";
  const bool refit = argc > 3 && std::string(argv[3]) == "refit";
  assay::study::run(draws > 1 ? draws : 1000, assay::find_metric(metric), refit);
  return 0;
}
