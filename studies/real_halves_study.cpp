// Do ranges and separations hold on real data?
//
// The rank meant is that by the metric's expectation on as many rows of the same population. Here a
// real hub's rows are the population: its random halves, two at a time, are scored, and the truth
// is the order by the mean score over all halves. Each half and its complement err by opposite
// amounts to first order, so that mean is nearly free of noise, and it is at the same number of
// rows, where the score on all rows is not: a metric's expectation moves with their number. A half
// is half of its population, so its deviations are smaller (within_population below).
//
// Beside it, with deviations of two halves (sqrt 2): the rank on the other half, which needs no
// truth; and the rank on all rows, at twice the number of rows. Ranges as users see them, with
// deviations as they are, are compared with those of the plain bootstrap of rows.
//
//     real_halves_study NAME HUB LABELS SPLITS BOOTSTRAPS [GROUPS]   two rows of a Markdown table
//
// studies/real_halves.sh runs it over hubs and goes on where it stopped.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <numbers>
#include <numeric>

#include "assay/features.h"
#include "assay/hub.h"
#include "assay/metric.h"
#include "core/memory.h"
#include "data/folds.h"
#include "data/subset.h"
#include "hub/open_rows.h"
#include "plain_bootstrap.h"
#include "rank/consensus.h"
#include "rank/contributions.h"
#include "rank/score_model.h"
#include "stats/joint_spread.h"

namespace assay::study {
namespace {

constexpr double kLevel = 0.95;
constexpr std::size_t kBootstrapped = 2;  // halves whose rows are also drawn with replacement

struct Hub {
  std::vector<std::string> names;
  std::vector<Rows> rows;
  Targets targets;
  std::vector<Label> groups;  // or empty
};

// Some of a hub's rows and what they say.
struct Part {
  std::vector<Index> rows;
  std::vector<Label> groups;  // codes 0, 1, ... within the part
  Columns columns;            // metrics x models
};

std::vector<Label> coded(const std::vector<Label>& groups, const std::vector<Index>& rows) {
  std::map<Label, Label> codes;
  std::vector<Label> out;
  if (groups.empty()) return out;
  for (const Index row : rows) {
    const Label group = groups[static_cast<std::size_t>(row)];
    out.push_back(codes.emplace(group, static_cast<Label>(codes.size())).first->second);
  }
  return out;
}

Columns score(ThreadPool& pool, const Hub& hub, const std::vector<const Metric*>& metrics,
              const std::vector<Index>& chosen, const std::vector<Label>& groups, bool intervals) {
  const Targets targets = targets_of_rows(hub.targets, chosen);
  const Folds folds = intervals ? stratified_folds(targets, 20, 0) : Folds{};
  const ScoreOptions options{.center = targets.kind != TargetKind::classes,
                             .memory_limit = default_memory_limit()};
  Columns columns(metrics.size());
  for (std::size_t k = 0; k < hub.rows.size(); ++k) {
    const Rows rows = rows_of_subset(*hub.rows[k], chosen);
    const std::vector<MetricScore> scores =
        score_model({pool, *rows, targets, folds, options, {}, groups}, metrics);
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      ScoreContributions from = intervals ? contributions_of(scores[m]) : ScoreContributions{};
      columns[m].push_back({hub.names[k], scores[m].score.value, std::move(from.units),
                            std::move(from.pairs), std::move(from.triples), 1e-9});
    }
  }
  return columns;
}

// Deviations times `unit`, `pair` and `triple` of single rows, and of rows acting together.
Columns scaled(Columns columns, double unit, double pair, double triple) {
  const auto scale = [](std::vector<double>& values, double by) {
    for (double& value : values) value *= by;
  };
  for (std::vector<Candidate>& column : columns) {
    for (Candidate& one : column) {
      scale(one.contributions, unit);
      scale(one.pair_contributions, pair);
      scale(one.triple_contributions, triple);
    }
  }
  return columns;
}

// About the mean over halves of this population. Of the variance's part v_k, rows acting k at a
// time, the share (1/2)^k is common to all halves. By the generating function of the parts what is
// left is J/2 - P/4 + T/8 - ... (joint_spread.h has V = J - P + T - ...).
Columns within_population(const Columns& columns) {
  return scaled(columns, std::sqrt(0.5), 0.5, std::sqrt(0.125));
}

Columns between_halves(const Columns& columns) {
  return scaled(columns, std::numbers::sqrt2, std::numbers::sqrt2, std::numbers::sqrt2);
}

Ranking rank_columns(const Columns& columns) {
  return columns.size() == 1 ? rank_candidates(columns.front(), kLevel)
                             : rank_by_consensus(columns, kLevel);
}

// Smaller is better: the score turned round, or the mean rank.
std::vector<double> standing(const Columns& columns) {
  if (columns.size() > 1) return mean_ranks(columns);
  std::vector<double> out;
  for (const Candidate& one : columns.front()) out.push_back(-one.value);
  return out;
}

Index rank_of(const std::vector<double>& standing, std::size_t model) {
  return 1 + std::count_if(standing.begin(), standing.end(),
                           [&](double other) { return other < standing[model]; });
}

struct Tally {
  double models = 0, covered = 0, width = 0, pairs = 0, separable = 0, reversed = 0;
};

void judge(const Ranking& ranking, const std::vector<double>& truth, Tally& t) {
  std::vector<Index> own(truth.size());
  for (const Place& place : ranking.places)
    own[static_cast<std::size_t>(place.candidate)] = place.rank;
  for (const Place& place : ranking.places) {
    const auto i = static_cast<std::size_t>(place.candidate);
    if (!place.rank_low) continue;
    const Index rank = rank_of(truth, i);
    t.models += 1;
    t.covered += *place.rank_low <= rank && rank <= *place.rank_high ? 1 : 0;
    t.width += static_cast<double>(*place.rank_high - *place.rank_low + 1);
    t.pairs += 0.5 * static_cast<double>(ranking.places.size() - 1);
    for (const Index separable : place.separable_from) {
      const auto j = static_cast<std::size_t>(separable);
      t.separable += 0.5;
      if (own[i] < own[j]) t.reversed += truth[i] >= truth[j] ? 1 : 0;
    }
  }
}

// Estimated against seen: deviations of the differences of all pairs of models about their means
// over halves, root mean square over the pairs of the ratio.
double deviation_ratio(const std::vector<Part>& parts, std::size_t metric) {
  const std::size_t models = parts.front().columns[metric].size();
  const auto count = static_cast<double>(parts.size());
  const auto at = [](std::size_t i) { return static_cast<Index>(i); };
  Matrix seen(std::ssize(parts), at(models));
  Matrix estimated = Matrix::Zero(at(models), at(models));
  for (std::size_t h = 0; h < parts.size(); ++h) {
    std::vector<Contributions> from;
    const Columns half = within_population({parts[h].columns[metric]});
    for (std::size_t i = 0; i < models; ++i) {
      const Candidate& one = half.front()[i];
      seen(at(h), at(i)) = one.value;
      from.push_back(contributions_of(one));
    }
    const Matrix factor = joint_spread(from);
    for (Index i = 0; i < estimated.rows(); ++i) {
      for (Index j = 0; j < i; ++j)
        estimated(i, j) += (factor.col(i) - factor.col(j)).squaredNorm() / count;
    }
  }
  double ratios = 0.0;
  double pairs = 0.0;
  for (Index i = 0; i < estimated.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const Vector difference = seen.col(i) - seen.col(j);
      const double variance =
          (difference.array() - difference.mean()).square().sum() / (count - 1.0);
      ratios += estimated(i, j) / variance;
      pairs += 1.0;
    }
  }
  return std::sqrt(ratios / pairs);
}

// LogME scored again with rows as often as drawn; outcomes of rows, which `part` has, as often.
Columns score_drawn(ThreadPool& pool, const Hub& hub, const Part& part, const Columns& mine,
                    const std::vector<Index>& times) {
  std::vector<Index> drawn;
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const std::size_t unit = part.groups.empty() ? i : static_cast<std::size_t>(part.groups[i]);
    drawn.insert(drawn.end(), static_cast<std::size_t>(times[unit]), part.rows[i]);
  }
  Columns columns = score(pool, hub, {&find_metric("logme")}, drawn, {}, /*intervals=*/false);
  for (std::size_t m = 1; m < mine.size(); ++m) {
    columns.emplace_back();
    for (const Candidate& one : mine[m]) {
      double value = one.value;
      for (std::size_t u = 0; u < one.contributions.size(); ++u)
        value += (static_cast<double>(times[u]) - 1.0) * one.contributions[u];
      columns.back().push_back({.name = one.name, .value = value});
    }
  }
  return columns;
}

std::vector<Part> split(ThreadPool& pool, const Hub& hub, const std::vector<const Metric*>& metrics,
                        std::uint64_t seed) {
  const Folds two = hub.groups.empty() ? stratified_folds(hub.targets, 2, seed)
                                       : grouped_folds(hub.groups, 2, seed);
  std::vector<Part> parts(2);
  for (std::size_t i = 0; i < two.of_row.size(); ++i)
    parts[static_cast<std::size_t>(two.of_row[i])].rows.push_back(static_cast<Index>(i));
  for (Part& part : parts) {
    part.groups = coded(hub.groups, part.rows);
    part.columns = score(pool, hub, metrics, part.rows, part.groups, true);
  }
  return parts;
}

struct Answer {
  Tally same, other, all, shown;
  double bootstrap_width = 0.0, shown_width = 0.0, ratio = 0.0;
};

Answer judge_all(ThreadPool& pool, const Hub& hub, const std::vector<Part>& parts,
                 const Columns& whole, std::size_t metrics, Index bootstraps) {
  const auto of = [&](const Columns& columns) {
    return Columns(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(metrics));
  };
  std::vector<double> truth(hub.names.size(), 0.0);
  for (const Part& part : parts) {
    const std::vector<double> one = standing(of(part.columns));
    for (std::size_t i = 0; i < truth.size(); ++i) truth[i] += one[i];
  }
  Answer out;
  for (std::size_t h = 0; h < parts.size(); ++h) {
    const Columns mine = of(parts[h].columns);
    const Ranking half = rank_columns(within_population(mine));
    judge(half, truth, out.same);
    judge(half, standing(of(whole)), out.all);
    const std::size_t other = h % 2 == 0 ? h + 1 : h - 1;
    judge(rank_columns(between_halves(mine)), standing(of(parts[other].columns)), out.other);
    if (h >= kBootstrapped || bootstraps == 0) continue;
    judge(rank_columns(mine), truth, out.shown);
    out.bootstrap_width +=
        plain_bootstrap(
            std::ssize(mine.front().front().contributions), bootstraps, kLevel, h,
            [&](const auto& times) { return score_drawn(pool, hub, parts[h], mine, times); })
            .mean_width() /
        static_cast<double>(kBootstrapped);
  }
  if (metrics == 1) out.ratio = deviation_ratio(parts, 0);
  return out;
}

std::string percent(double part, double whole, int digits) {
  return whole > 0 ? fmt::format("{:.{}f} %", 100.0 * part / whole, digits) : "-";
}

void run(const std::string& name, const Hub& hub, Index splits, Index bootstraps) {
  ThreadPool pool(1);
  const std::vector<const Metric*> metrics = parse_metrics(
      hub.targets.kind == TargetKind::classes ? "logme,ridge_loo,knn,ncc_loo" : "logme,ridge_loo");
  std::vector<Index> everything(static_cast<std::size_t>(hub.targets.rows()));
  std::iota(everything.begin(), everything.end(), 0);
  const Columns whole =
      score(pool, hub, metrics, everything, coded(hub.groups, everything), /*intervals=*/false);
  std::vector<Part> parts;
  for (Index k = 0; k < splits; ++k) {
    for (Part& part : split(pool, hub, metrics, static_cast<std::uint64_t>(k) + 1))
      parts.push_back(std::move(part));
  }
  for (const std::size_t count : {std::size_t{1}, metrics.size()}) {
    const Answer a = judge_all(pool, hub, parts, whole, count, bootstraps);
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.2f} | {:.2f} | {} |\n",
               name, count == 1 ? "logme" : "consensus", hub.names.size(), hub.targets.rows() / 2,
               percent(a.same.covered, a.same.models, 1),
               percent(a.other.covered, a.other.models, 1), percent(a.all.covered, a.all.models, 1),
               percent(a.same.separable, a.same.pairs, 0),
               percent(a.same.reversed, a.same.separable, 2),
               percent(a.other.reversed, a.other.separable, 2),
               percent(a.all.reversed, a.all.separable, 2),
               a.shown.models > 0 ? a.shown.width / a.shown.models : 0.0, a.bootstrap_width,
               count == 1 ? fmt::format("{:.2f}", a.ratio) : "-");
  }
  fmt::print(stderr, "{}: {:.0f} CPU s\n", name,
             static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace assay::study

int main(int argc, char** argv) {
  using namespace assay;
  if (argc < 6) {
    fmt::print(stderr, "usage: real_halves_study NAME HUB LABELS SPLITS BOOTSTRAPS [GROUPS]\n");
    return 2;
  }
  study::Hub hub;
  hub.targets = load_targets(argv[3]);
  if (argc > 6) hub.groups = load_targets(argv[6]).labels;
  for (const Model& files : find_models({argv[2]}, argv[3]).models) {
    hub.names.push_back(files.name);
    hub.rows.push_back(open_rows(files));
  }
  study::run(argv[1], hub, std::atol(argv[4]), std::atol(argv[5]));
  return 0;
}
