#include "rank/score_by_moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "assay/error.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/moments_pass.h"
#include "data/row_kernel.h"
#include "data/subset.h"
#include "metrics/evidence.h"
#include "metrics/fixed_point.h"
#include "metrics/held_out.h"
#include "metrics/leave_out_evidence.h"
#include "metrics/logme.h"
#include "rank/contributions.h"
#include "rank/held_out_score.h"
#include "rank/moment_replicate.h"

namespace assay {
namespace {

// The block of rows a pass works on, and what else is small beside the moments.
constexpr Index kBlockBytes = Index{48} << 20;
// Float products are taken back when they could cost more than this: in nats, or as a share of
// scores that count directions and grow with the number of classes.
constexpr double kAllowedError = 5e-7;

bool accurate(const MetricScore& result) {
  const double size =
      result.metric->relative_error ? std::max(1.0, std::abs(result.score.value)) : 1.0;
  return result.score.error <= kAllowedError * size;
}

// Folds first ... last are left out: one fold, or the two of a pair.
struct Omission {
  Index first = 0;
  Index last = 0;
};

class MomentScorer {
 public:
  MomentScorer(const ScoringTask& task, const std::vector<const Metric*>& metrics,
               std::shared_ptr<const Moments>* kept)
      : task_(task), kept_(kept) {
    refits_ = std::any_of(metrics.begin(), metrics.end(),
                          [&](const Metric* metric) { return !in_closed_form(*metric); });
    for (const Metric* metric : metrics) {
      results_.push_back({.metric = metric,
                          .replicates = std::vector<double>(
                              static_cast<std::size_t>(in_closed_form(*metric) ? 0 : folds())),
                          .pair_replicates = std::vector<double>(
                              static_cast<std::size_t>(in_closed_form(*metric) ? 0 : pairs()))});
    }
  }

  std::vector<MetricScore> run() {
    if (task_.rows.rows() > task_.rows.cols()) {
      PassSettings settings{suitable_precision(task_.rows)};
      settings.fourth = std::any_of(results_.begin(), results_.end(), [](const MetricScore& score) {
        return score.metric->fourth_moments;
      });
      if (!run_pass(settings)) {
        settings.precision = Precision::double_products;
        run_pass(settings);
      }
    } else {
      from_kernel();
    }
    return std::move(results_);
  }

 private:
  // False when float products turn out too coarse for these features.
  bool run_pass(PassSettings settings) {
    const double started = monotonic_seconds();
    Index group = folds_per_pass();
    if (pairs() > 0) group = std::max<Index>(2, group / 2 * 2);  // both folds of a pair in one pass
    const bool in_one_pass = folds() > 0 && group >= folds();
    const std::vector<Index> all(static_cast<std::size_t>(task_.rows.rows()), 0);
    MomentsPass pass =
        accumulate_moments(task_.pool, task_.rows, task_.targets,
                           in_one_pass ? std::span<const Index>(task_.folds.of_row) : all,
                           in_one_pass ? folds() : 1, settings);
    Moments total = in_one_pass ? pass.buckets.front() : std::move(pass.buckets.front());
    for (std::size_t b = 1; b < pass.buckets.size(); ++b) total += pass.buckets[b];
    const double seconds = monotonic_seconds() - started;
    if (kept_ != nullptr) *kept_ = std::make_shared<const Moments>(total);
    if (folds() == 0) return from_problem(Problem(std::move(total), task_.options.center), seconds);
    if (!from_problem(Problem(total, task_.options.center), seconds)) return false;
    if (in_one_pass) {
      replicate_folds(total, pass.buckets, 0);
      return true;
    }
    pass.used.final = true;
    for (Index first = 0; first < folds(); first += group) {
      const Index count = std::min(group, folds() - first);
      std::vector<Index> bucket(task_.folds.of_row.size());
      std::transform(task_.folds.of_row.begin(), task_.folds.of_row.end(), bucket.begin(),
                     [&](Index fold) {
                       return fold >= first && fold < first + count ? fold - first : Index{-1};
                     });
      replicate_folds(
          total,
          accumulate_moments(task_.pool, task_.rows, task_.targets, bucket, count, pass.used)
              .buckets,
          first);
    }
    return true;
  }

  void replicate_folds(const Moments& total, const std::vector<Moments>& folds, Index first) {
    const auto count = static_cast<Index>(folds.size());
    task_.pool.run(count + (pairs() > 0 ? count / 2 : 0), [&](Index task) {
      const Omission omitted = task < count ? Omission{task, task}
                                            : Omission{2 * (task - count), 2 * (task - count) + 1};
      Moments rest = total;
      for (Index k = omitted.first; k <= omitted.last; ++k)
        rest -= folds[static_cast<std::size_t>(k)];
      without_fold(Problem(std::move(rest), task_.options.center),
                   {first + omitted.first, first + omitted.last});
    });
  }

  void from_kernel() {
    const double started = monotonic_seconds();
    const RowKernel kernel = row_kernel(task_.pool, task_.rows, task_.options.memory_limit);
    const auto problem_of = [&](const std::vector<Index>& kept) {
      return Problem(kernel_of_subset(kernel, kept), task_.rows.cols(),
                     target_matrix(task_.targets, kept), task_.options.center);
    };
    std::vector<Index> all_rows;
    for (Index row = 0; row < task_.rows.rows(); ++row) all_rows.push_back(row);
    from_problem(problem_of(all_rows), monotonic_seconds() - started);
    task_.pool.run(folds() + pairs(), [&](Index task) {
      const Index pair = task - folds();
      const Omission omitted = pair < 0 ? Omission{task, task} : Omission{2 * pair, 2 * pair + 1};
      std::vector<Index> kept;
      for (const Index row : all_rows) {
        const Index fold = task_.folds.of_row[static_cast<std::size_t>(row)];
        if (fold < omitted.first || fold > omitted.last) kept.push_back(row);
      }
      without_fold(problem_of(kept), omitted);
    });
  }

  bool from_problem(const Problem& problem, double shared_seconds) {
    if (std::none_of(problem.active().begin(), problem.active().end(), [](bool a) { return a; })) {
      fail_input(
          fmt::format("{}: every target is constant, or so nearly that its squares do not tell; a "
                      "score needs targets that vary (`center` takes a large mean off)",
                      task_.targets.where));
    }
    std::vector<EvidenceColumn> columns;
    for (MetricScore& result : results_) {
      const double started = monotonic_seconds();
      if (result.metric->from_moments == logme) {
        columns = maximize_evidence(problem.reduced(), problem.active());
        result.score = logme_score(problem, columns);
      } else {
        result.score = result.metric->from_moments(problem);
      }
      result.seconds = shared_seconds + monotonic_seconds() - started;
      if (task_.options.fixed_points && result.metric->from_moments == logme)
        result.fixed_points = fixed_point_curves(problem.reduced(), problem.active());
    }
    task_.report(0.5 / static_cast<double>(folds() + pairs() + 1));
    if (!std::all_of(results_.begin(), results_.end(), accurate)) return false;
    for (MetricScore& result : results_) {
      if (result.metric->from_moments != logme) continue;
      const bool intervals = task_.folds.count > 0 && in_closed_form(*result.metric);
      const bool held_out = few_labels_of(problem);
      if (intervals || held_out) leave_out(problem.reduced(), columns, intervals, held_out, result);
    }
    if (folds() == 0) task_.report(1.0);
    return true;
  }

  // Of classes, those that vary are those that are there.
  bool few_labels_of(const Problem& problem) const {
    const auto present = std::count(problem.active().begin(), problem.active().end(), true);
    return task_.targets.kind == TargetKind::classes && wants_held_out(task_.rows.rows(), present);
  }

  void leave_out(const Reduced& reduced, const std::vector<EvidenceColumn>& columns, bool intervals,
                 bool held_out, MetricScore& result) const {
    const double started = monotonic_seconds();
    const std::optional<LeftOutEvidence> left =
        leave_out_evidence(task_.pool, task_.rows, task_.targets, reduced, columns, task_.groups);
    if (left && held_out) {
      result.held_out = held_out_score(left->units, task_.targets, task_.groups, intervals);
    }
    if (left && intervals) {
      result.contributions = unit_contributions(left->units, task_.targets, task_.groups);
      result.pair_contributions = pair_contributions(left->pairs, task_.targets);
      result.triple_contributions = triple_contributions(left->triples, task_.targets);
    }
    result.seconds += monotonic_seconds() - started;
  }

  void without_fold(const Problem& problem, Omission omitted) {
    for (MetricScore& result : results_) {
      if (in_closed_form(*result.metric)) continue;
      const double value =
          moment_replicate(result.score, result.metric->from_moments(problem), task_.targets.kind);
      if (omitted.first == omitted.last) {
        result.replicates[static_cast<std::size_t>(omitted.first)] = value;
      } else {
        result.pair_replicates[static_cast<std::size_t>(omitted.first / 2)] = value;
      }
    }
    const std::lock_guard lock(mutex_);
    ++refits_done_;
    task_.report(static_cast<double>(refits_done_ + 1) /
                 static_cast<double>(folds() + pairs() + 1));
  }

  // LogME, unless refits were asked for or a group is too large.
  bool in_closed_form(const Metric& metric) const {
    return metric.from_moments == logme && task_.options.closed_form &&
           groups_are_small(task_.groups);
  }

  // Folds to score without, for metrics that have no closed form.
  Index folds() const { return refits_ ? task_.folds.count : 0; }

  // Pairs of folds left out as well: where samples are few for their dimensions, scores bend so
  // much that the plain jackknife overstates their spread (jackknife.h).
  Index pairs() const {
    const bool few = task_.rows.rows() < 4 * task_.rows.cols();
    return few && folds() > 2 ? folds() / 2 : 0;  // of two, nothing would be left
  }

  // How many folds can be summed side by side: a matter of the data and the limit alone, or the
  // order of summation would depend on the number of threads. Throws when memory does not suffice.
  Index folds_per_pass() const {
    const Index bytes = moments_bytes(task_.rows.cols(), task_.targets.columns());
    const Index group = std::max<Index>(
        1, std::min(task_.options.memory_limit / 4, task_.options.fold_memory) / bytes);
    const bool jackknife = folds() > 0;
    const Index held =
        jackknife ? std::min(std::max<Index>(group, pairs() > 0 ? 2 : 1), folds()) + 1 : 1;
    const Index needed =
        bytes * (held + Index{2} * (jackknife ? task_.pool.threads() : 1)) + kBlockBytes;
    require_memory(task_.rows.where(),
                   fmt::format("scoring {} dimensions and {} target columns", task_.rows.cols(),
                               task_.targets.columns()),
                   needed, task_.options.memory_limit,
                   jackknife ? "use fewer `threads`, or do without intervals (`ci` 0)" : "");
    return group;
  }

  const ScoringTask& task_;
  std::shared_ptr<const Moments>* kept_;
  bool refits_ = false;
  std::mutex mutex_;
  Index refits_done_ = 0;
  std::vector<MetricScore> results_;
};

}  // namespace

std::vector<MetricScore> score_by_moments(const ScoringTask& task,
                                          const std::vector<const Metric*>& metrics,
                                          std::shared_ptr<const Moments>* kept) {
  return MomentScorer(task, metrics, kept).run();
}

}  // namespace assay
