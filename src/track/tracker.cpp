#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "assay/error.h"
#include "assay/track.h"
#include "data/check_targets.h"
#include "data/subset.h"
#include "prior/lidar.h"
#include "prior/open_prior.h"
#include "prior/principal_axes.h"
#include "prior/probe_r2.h"
#include "rank/contributions.h"
#include "rank/rank_plan.h"
#include "rank/score_draws.h"
#include "stats/jackknife.h"
#include "stats/joint_spread.h"
#include "track/row_axes.h"
#include "track/spectral_scores.h"

namespace assay {
namespace {

constexpr const char* kProbe = "probe_r2";
constexpr const char* kRankMe = "rankme";
constexpr const char* kAlpha = "alpha_req";
constexpr const char* kLidar = "lidar";

// A score as it is remembered for the checkpoints to come.
struct Known {
  std::optional<double> value = {};
  ScoreContributions from = {};
};

double squares(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = a[i] - (b.empty() ? 0.0 : b[i]);
    sum += apart * apart;
  }
  return sum;
}

// Of a score (`other` empty), or of the difference of two on the same rows.
std::optional<double> error_of(const ScoreContributions& one, const ScoreContributions& other) {
  const bool paired = other.units.size() == one.units.size() || other.units.empty();
  if (one.units.size() < 2 || !paired) return {};
  const double units = squares(one.units, other.units);
  const bool joint = !one.pairs.empty() && !one.triples.empty();
  if (!joint) return std::sqrt(units);
  return std::sqrt(variance_from_interactions(units, squares(one.pairs, other.pairs),
                                              squares(one.triples, other.triples)));
}

Known known_of(RowScore score) {
  Known out{score.value, {}};
  out.from.units.assign(score.contributions.begin(), score.contributions.end());
  return out;
}

std::vector<TrackedQuantity> label_free_quantities(bool prior, Index views) {
  std::vector<TrackedQuantity> out;
  if (prior) out.push_back({kProbe, "probe R²", "share of variance", Direction::higher_is_better});
  out.push_back({kRankMe, "RankMe", "effective rank", Direction::higher_is_better});
  out.push_back({kAlpha, "alpha-ReQ", "decay, near 1", {}});
  if (views > 1) out.push_back({kLidar, "LiDAR", "effective rank", Direction::higher_is_better});
  return out;
}

}  // namespace

double TrackResult::half_width_factor() const {
  const Index n = checkpoints.empty() ? 2 : checkpoints.front().n;
  return student_t_factor(level, static_cast<double>(std::max<Index>(n - 1, 1)));
}

struct Tracker::State {
  ThreadPool& pool;
  TrackSetting setting;
  RankRequest request = {};
  std::optional<RankPlan> plan = {};  // with labels
  OpenPrior prior = {};
  std::optional<TaskPrior<double>> loaded = {};  // when the number of samples is known
  TrackResult result = {};
  std::vector<Known> last = {};
  Known champion = {};    // by `by`
  double challenges = 0;  // of the champion, so far

  State(ThreadPool& threads, TrackSetting wanted) : pool(threads), setting(std::move(wanted)) {
    if (!(setting.level > 0.0 && setting.level < 1.0))
      fail_input("`ci`: expected a confidence above 0 and below 1, such as 0.95");
    if (setting.labels) plan_labels();
    if (setting.prior.empty() && setting.labels && setting.labels->kind == TargetKind::classes)
      setting.prior.push_back({.name = "labels", .grouping = setting.labels->labels});
    prior = prior_of(setting.prior);
    if (setting.views == 0)
      for (const GivenPriorPart& part : prior.parts)
        setting.views = std::max(setting.views, part.views);
    for (TrackedQuantity& one : label_free_quantities(!prior.parts.empty(), setting.views))
      result.quantities.push_back(std::move(one));
    result.level = setting.level;
    choose_by();
  }

  void plan_labels() {
    request.hub.targets = setting.labels;
    request.hub.models = {{"checkpoint", {}}};
    request.metrics = {&find_metric("logme"), &find_metric("knn")};
    request.level = setting.level;
    request.seed = setting.seed;
    request.memory_limit = setting.memory_limit;
    plan.emplace(plan_ranking(request));
    for (const Metric* metric : plan->metrics.all())
      result.quantities.push_back({std::string(metric->name), std::string(metric->title),
                                   std::string(metric->unit), metric->direction});
  }

  void choose_by() {
    if (setting.by.empty()) return;
    const auto found = std::ranges::find(result.quantities, setting.by, &TrackedQuantity::name);
    std::vector<std::string> names;
    for (const TrackedQuantity& one : result.quantities)
      if (one.direction && one.name != kLidar) names.push_back(one.name);
    if (found == result.quantities.end() || std::ranges::find(names, setting.by) == names.end())
      fail_input(fmt::format("`by` {}: expected one of: {}", setting.by, fmt::join(names, ", ")));
    result.by = static_cast<std::size_t>(found - result.quantities.begin());
  }

  void require_fitting(const std::string& name, double step, const RowSource& rows) {
    if (rows.rows() < 2) fail_input(fmt::format("{}: one row tells nothing", rows.where()));
    if (setting.labels) require_matching(rows, *setting.labels);
    if (setting.views > 1 && rows.rows() % setting.views != 0)
      fail_input(fmt::format("{}: {} rows are no whole number of {} views each", rows.where(),
                             rows.rows(), setting.views));
    if (result.checkpoints.empty()) {
      require_rows_of(prior, rows.rows(), rows.where());
      return;
    }
    const Checkpoint& before = result.checkpoints.back();
    if (rows.rows() != before.n)
      fail_input(
          fmt::format("{}: {} rows, but {} has {}; checkpoints are compared on the same "
                      "samples in the same order",
                      rows.where(), rows.rows(), before.name, before.n));
    if (!(step > before.step))
      fail_input(
          fmt::format("{}: step {:g} after step {:g}; steps ascend", name, step, before.step));
  }

  std::vector<Known> score(const std::string& name, const RowSource& rows) {
    std::vector<Known> out;
    if (plan) {
      // Not owned: it outlives the call.
      const Rows shared(Rows(), &rows);
      ScoredModel scored =
          score_rows(pool, *plan, {name, shared, {}}, plan->targets, plan->metrics.all(), {});
      for (const MetricScore& one : scored.scores) {
        const bool finite = std::isfinite(one.score.value);
        out.push_back({finite ? std::optional(one.score.value) : std::nullopt,
                       finite ? contributions_of(one) : ScoreContributions{}});
      }
    }
    if (!prior.parts.empty()) out.push_back(probe(rows));
    out.push_back(known_of(rankme_of_rows(row_axes(pool, rows, false))));
    std::optional<RowScore> decay = alpha_req_of_rows(row_axes(pool, rows, true));
    out.push_back(decay ? known_of(std::move(*decay)) : Known{});
    if (setting.views > 1) out.push_back({lidar(pool, rows, setting.views), {}});
    return out;
  }

  // As prior score has it: rows at unit length, the penalty the mean eigenvalue.
  Known probe(const RowSource& rows) {
    if (!loaded) loaded = load_prior<double>(pool, prior, rows.rows(), {});
    const PrincipalAxes axes = principal_axes(pool, rows, true);
    const PriorImage image = prior_image<double>(pool, *loaded, axes.z);
    const ProbeR2 found = probe_r2(pool, axes, image, {});
    return known_of({found.value, probe_r2_contributions(pool, axes, image, found.penalty)});
  }

  const Checkpoint& add(const std::string& name, double step, const RowSource& rows) {
    require_fitting(name, step, rows);
    std::vector<Known> now = score(name, rows);
    Checkpoint checkpoint{name, step, rows.rows(), rows.cols(), {}};
    for (std::size_t q = 0; q < now.size(); ++q) {
      TrackedScore score{now[q].value, error_of(now[q].from, {}), {}, {}};
      if (!last.empty() && now[q].value && last[q].value) {
        score.change = *now[q].value - *last[q].value;
        score.change_error = error_of(now[q].from, last[q].from);
      }
      checkpoint.scores.push_back(score);
    }
    result.checkpoints.push_back(std::move(checkpoint));
    judge(now[result.by]);
    last = std::move(now);
    return result.checkpoints.back();
  }

  void judge(const Known& now) {
    const std::size_t place = result.checkpoints.size() - 1;
    const std::optional<double>& best = result.checkpoints[result.best].scores[result.by].value;
    if (now.value && (!best || *now.value > *best)) result.best = place;
    if (place == 0 || !champion.value) {
      champion = now;
      result.improved_last = place;
      return;
    }
    // The k-th comparison may err with 6 / (pi k)^2 of what is allowed: together they err with no
    // more, however many follow.
    ++challenges;
    const std::optional<double> error = error_of(now.from, champion.from);
    if (!now.value || !error || *now.value <= *champion.value) return;
    const double allowed =
        (1.0 - setting.level) * 6.0 / std::pow(std::numbers::pi * challenges, 2.0);
    const double p = 0.5 * two_sided_p_value(*now.value - *champion.value, *error,
                                             static_cast<double>(result.checkpoints.front().n - 1));
    if (p >= allowed) return;
    champion = now;
    result.improved_last = place;
  }
};

Tracker::Tracker(ThreadPool& pool, TrackSetting setting)
    : state_(std::make_unique<State>(pool, std::move(setting))) {}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

const Checkpoint& Tracker::update(const std::string& name, double step, const RowSource& rows) {
  return state_->add(name, step, rows);
}

const TrackResult& Tracker::result() const { return state_->result; }

}  // namespace assay
