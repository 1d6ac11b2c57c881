// Do ranges and separations hold on real data?
//
// Random halves of a hub's rows are ranked, and compared with the order on all rows. A half is half
// of the whole it is judged by, so its deviations are scaled by the finite-population correction,
// sqrt(1 - 1/2). Counted, by LogME and by the consensus of the default metrics: how often the range
// of a model holds its rank on all rows, and with deviations of two halves (sqrt 2) its rank on the
// other half, where no score changes with the number of rows; how wide ranges are, how many pairs
// are separable, and how many of those stand the other way round on all rows, or on the other half.
//
//     real_halves_study NAME HUB LABELS HALVES      prints two rows of a Markdown table
//
// studies/real_halves.sh runs it over hubs and goes on where it stopped.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "assay/features.h"
#include "assay/hub.h"
#include "assay/metric.h"
#include "core/memory.h"
#include "core/random.h"
#include "data/folds.h"
#include "data/subset.h"
#include "hub/open_rows.h"
#include "rank/consensus.h"
#include "rank/contributions.h"
#include "rank/score_model.h"

namespace assay::study {
namespace {

constexpr double kLevel = 0.95;

struct Hub {
  std::vector<std::string> names;
  std::vector<Rows> rows;
  Targets targets;
};

// Metrics x models.
Columns score_rows(ThreadPool& pool, const Hub& hub, const std::vector<const Metric*>& metrics,
                   const std::vector<Index>& chosen, double scale) {
  const Targets targets = targets_of_rows(hub.targets, chosen);
  const Folds folds = stratified_folds(targets, 20, 0);
  const ScoreOptions options{.center = targets.kind != TargetKind::classes,
                             .memory_limit = default_memory_limit()};
  Columns columns(metrics.size());
  for (std::size_t k = 0; k < hub.rows.size(); ++k) {
    const Rows rows = rows_of_subset(*hub.rows[k], chosen);
    const std::vector<MetricScore> scores =
        score_model({pool, *rows, targets, folds, options, {}}, metrics);
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      ScoreContributions from = contributions_of(scores[m]);
      for (double& value : from.units) value *= scale;
      for (double& value : from.pairs) value *= scale;
      columns[m].push_back({hub.names[k], scores[m].score.value, from.units, from.pairs, 1e-9});
    }
  }
  return columns;
}

Ranking rank_columns(const Columns& columns) {
  return columns.size() == 1 ? rank_candidates(columns.front(), kLevel)
                             : rank_by_consensus(columns, kLevel);
}

std::vector<Index> ranks_of(const Ranking& ranking) {
  std::vector<Index> out(ranking.places.size());
  for (const Place& place : ranking.places)
    out[static_cast<std::size_t>(place.candidate)] = place.rank;
  return out;
}

struct Tally {
  double models = 0, covered = 0, width = 0, pairs = 0, separable = 0, wrong = 0, reversed = 0,
         other = 0;
};

void add(const Ranking& half, const std::vector<Index>& truth, const std::vector<Index>& other,
         Tally& t) {
  const std::vector<Index> own = ranks_of(half);
  for (const Place& place : half.places) {
    const auto i = static_cast<std::size_t>(place.candidate);
    if (!place.rank_low) continue;
    t.models += 1;
    t.covered += *place.rank_low <= truth[i] && truth[i] <= *place.rank_high ? 1 : 0;
    t.width += static_cast<double>(*place.rank_high - *place.rank_low + 1);
    t.pairs += 0.5 * static_cast<double>(half.places.size() - 1);
    for (const Index separable : place.separable_from) {
      const auto j = static_cast<std::size_t>(separable);
      t.separable += 0.5;
      t.wrong += (own[i] < own[j]) != (truth[i] < truth[j]) ? 0.5 : 0.0;
      t.reversed += (own[i] < own[j]) != (other[i] < other[j]) ? 0.5 : 0.0;
    }
  }
}

void add_other(const Ranking& half, const std::vector<Index>& other, Tally& t) {
  for (const Place& place : half.places) {
    const Index rank = other[static_cast<std::size_t>(place.candidate)];
    if (place.rank_low) t.other += *place.rank_low <= rank && rank <= *place.rank_high ? 1 : 0;
  }
}

// The deviations of a half about all rows become those between two halves.
Columns between_halves(Columns columns) {
  for (std::vector<Candidate>& column : columns) {
    for (Candidate& one : column) {
      for (double& value : one.contributions) value *= 2.0;
      for (double& value : one.pair_contributions) value *= 2.0;
    }
  }
  return columns;
}

void run(const std::string& name, const Hub& hub, Index halves) {
  ThreadPool pool(0);
  const std::vector<const Metric*> all = parse_metrics(
      hub.targets.kind == TargetKind::classes ? "logme,ridge_loo,knn,ncc_loo" : "logme");
  std::vector<Index> everything(static_cast<std::size_t>(hub.targets.rows()));
  for (std::size_t i = 0; i < everything.size(); ++i) everything[i] = static_cast<Index>(i);
  const Columns whole = score_rows(pool, hub, all, everything, 1.0);
  Tally single;
  Tally consensus;
  for (Index draw = 0; draw < halves; ++draw) {
    const Folds two = stratified_folds(hub.targets, 2, static_cast<std::uint64_t>(draw) + 1);
    std::vector<std::vector<Index>> rows(2);
    for (const Index i : everything)
      rows[static_cast<std::size_t>(two.of_row[static_cast<std::size_t>(i)])].push_back(i);
    const Columns half = score_rows(pool, hub, all, rows[0], std::sqrt(0.5));
    const Columns rest = score_rows(pool, hub, all, rows[1], std::sqrt(0.5));
    const auto judge = [](const Columns& mine, const Columns& full, const Columns& theirs,
                          Tally& t) {
      add(rank_columns(mine), ranks_of(rank_columns(full)), ranks_of(rank_columns(theirs)), t);
      add_other(rank_columns(between_halves(mine)), ranks_of(rank_columns(theirs)), t);
    };
    judge({half[0]}, {whole[0]}, {rest[0]}, single);
    if (all.size() > 1) judge(half, whole, rest, consensus);
  }
  for (const auto& [by, t] : {std::pair{"logme", single}, std::pair{"consensus", consensus}}) {
    if (t.models == 0) continue;
    fmt::print(
        "| {} | {} | {} | {} | {:.1f} % | {:.1f} % | {:.2f} | {:.1f} % | {:.2f} % | {:.2f} % |\n",
        name, by, hub.names.size(), hub.targets.rows() / 2, 100 * t.covered / t.models,
        100 * t.other / t.models, t.width / t.models, 100 * t.separable / t.pairs,
        t.separable > 0 ? 100 * t.wrong / t.separable : 0.0,
        t.separable > 0 ? 100 * t.reversed / t.separable : 0.0);
  }
}

}  // namespace
}  // namespace assay::study

int main(int argc, char** argv) {
  using namespace assay;
  if (argc < 5) {
    fmt::print(stderr, "usage: real_halves_study NAME HUB LABELS HALVES\n");
    return 2;
  }
  study::Hub hub;
  hub.targets = load_targets(argv[3]);
  for (const Model& files : find_models({argv[2]}, argv[3]).models) {
    hub.names.push_back(files.name);
    hub.rows.push_back(open_rows(files));
  }
  study::run(argv[1], hub, std::atol(argv[4]));
  return 0;
}
