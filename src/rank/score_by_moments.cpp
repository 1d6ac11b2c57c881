#include "rank/score_by_moments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "assay/error.h"
#include "core/text.h"
#include "data/moments_pass.h"
#include "data/row_kernel.h"
#include "metrics/logme.h"
#include "metrics/make_problem.h"

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
  MomentScorer(ThreadPool& pool, const RowSource& rows, const Targets& targets, const Folds& folds,
               const std::vector<const Metric*>& metrics, const ScoreOptions& options,
               const ProgressCallback& progress, std::shared_ptr<const Moments>* kept)
      : pool_(pool),
        rows_(rows),
        targets_(targets),
        folds_(folds),
        options_(options),
        progress_(progress),
        kept_(kept) {
    for (const Metric* metric : metrics) {
      results_.push_back(
          {.metric = metric,
           .replicates = std::vector<double>(static_cast<std::size_t>(folds.count)),
           .pair_replicates = std::vector<double>(static_cast<std::size_t>(pairs()))});
    }
  }

  std::vector<MetricScore> run() {
    if (rows_.rows() > rows_.cols()) {
      PassSettings settings{suitable_precision(rows_)};
      settings.fourth = std::any_of(results_.begin(), results_.end(), [](const MetricScore& score) {
        return score.metric->fourth_moments;
      });
      if (!score_moments(settings)) {
        settings.precision = Precision::double_products;
        score_moments(settings);
      }
    } else {
      score_kernel();
    }
    return std::move(results_);
  }

 private:
  // False when float products turn out too coarse for these features.
  bool score_moments(PassSettings settings) {
    const double started = monotonic_seconds();
    Index group = folds_per_pass();
    if (pairs() > 0) group = std::max<Index>(2, group / 2 * 2);  // both folds of a pair in one pass
    const bool together = folds_.count > 0 && group >= folds_.count;
    const std::vector<Index> all(static_cast<std::size_t>(rows_.rows()), 0);
    MomentsPass pass = accumulate_moments(pool_, rows_, targets_,
                                          together ? std::span<const Index>(folds_.of_row) : all,
                                          together ? folds_.count : 1, settings);
    Moments total = together ? pass.buckets.front() : std::move(pass.buckets.front());
    for (std::size_t b = 1; b < pass.buckets.size(); ++b) total += pass.buckets[b];
    const double seconds = monotonic_seconds() - started;
    if (kept_ != nullptr) *kept_ = std::make_shared<const Moments>(total);
    if (folds_.count == 0) return score_full(Problem(std::move(total), options_.center), seconds);
    if (!score_full(Problem(total, options_.center), seconds)) return false;
    if (together) {
      score_folds(total, pass.buckets, 0);
      return true;
    }
    pass.used.final = true;
    for (Index first = 0; first < folds_.count; first += group) {
      const Index count = std::min(group, folds_.count - first);
      std::vector<Index> bucket(folds_.of_row.size());
      std::transform(folds_.of_row.begin(), folds_.of_row.end(), bucket.begin(), [&](Index fold) {
        return fold >= first && fold < first + count ? fold - first : Index{-1};
      });
      score_folds(total,
                  accumulate_moments(pool_, rows_, targets_, bucket, count, pass.used).buckets,
                  first);
    }
    return true;
  }

  void score_folds(const Moments& total, const std::vector<Moments>& folds, Index first) {
    const auto count = static_cast<Index>(folds.size());
    pool_.run(count + (pairs() > 0 ? count / 2 : 0), [&](Index task) {
      const Omission omitted = task < count ? Omission{task, task}
                                            : Omission{2 * (task - count), 2 * (task - count) + 1};
      Moments rest = total;
      for (Index k = omitted.first; k <= omitted.last; ++k)
        rest -= folds[static_cast<std::size_t>(k)];
      score_fold(Problem(std::move(rest), options_.center),
                 {first + omitted.first, first + omitted.last});
    });
  }

  void score_kernel() {
    const double started = monotonic_seconds();
    const RowKernel kernel = row_kernel(pool_, rows_, options_.memory_limit);
    const auto problem_of = [&](const std::vector<Index>& kept) {
      return Problem(kernel_of_subset(kernel, kept), rows_.cols(), dense_targets(targets_, kept),
                     options_.center);
    };
    std::vector<Index> everything;
    for (Index row = 0; row < rows_.rows(); ++row) everything.push_back(row);
    score_full(problem_of(everything), monotonic_seconds() - started);
    pool_.run(folds_.count + pairs(), [&](Index task) {
      const Index pair = task - folds_.count;
      const Omission omitted = pair < 0 ? Omission{task, task} : Omission{2 * pair, 2 * pair + 1};
      std::vector<Index> kept;
      for (const Index row : everything) {
        const Index fold = folds_.of_row[static_cast<std::size_t>(row)];
        if (fold < omitted.first || fold > omitted.last) kept.push_back(row);
      }
      score_fold(problem_of(kept), omitted);
    });
  }

  bool score_full(const Problem& problem, double shared_seconds) {
    if (std::none_of(problem.active().begin(), problem.active().end(), [](bool a) { return a; })) {
      fail_input(
          fmt::format("{}: every target is constant, or so nearly that its squares do not tell; a "
                      "score needs targets that vary (--center takes a large mean off)",
                      targets_.where));
    }
    for (MetricScore& result : results_) {
      const double started = monotonic_seconds();
      result.score = result.metric->from_moments(problem);
      result.seconds = shared_seconds + monotonic_seconds() - started;
      if (options_.fixed_points && result.metric->from_moments == logme)
        result.fixed_points = fixed_point_curves(problem.reduced(), problem.active());
    }
    report(0.5 / static_cast<double>(folds_.count + pairs() + 1));
    return std::all_of(results_.begin(), results_.end(), accurate);
  }

  void score_fold(const Problem& problem, Omission omitted) {
    for (MetricScore& result : results_) {
      const double value = replicate(result.score, result.metric->from_moments(problem));
      if (omitted.first == omitted.last) {
        result.replicates[static_cast<std::size_t>(omitted.first)] = value;
      } else {
        result.pair_replicates[static_cast<std::size_t>(omitted.first / 2)] = value;
      }
    }
    const std::lock_guard lock(mutex_);
    ++refits_done_;
    report(static_cast<double>(refits_done_ + 1) / static_cast<double>(folds_.count + pairs() + 1));
  }

  // A class that is gone without the fold says nothing about the fold: it keeps its full-data
  // value, or the mean would jump for want of one term. For classes only the gain over no
  // features is jackknifed: the rest depends on the class counts alone, which are given, and
  // folds that cannot hold equal shares of a small class would add their wobble to it.
  double replicate(const Score& full, const Score& fold) const {
    if (full.columns.empty()) return fold.value;
    const bool shift = targets_.kind == TargetKind::classes && !full.baselines.empty();
    double sum = 0.0;
    double counted = 0.0;
    for (std::size_t c = 0; c < full.columns.size(); ++c) {
      if (std::isnan(full.columns[c])) continue;
      const double offset = shift ? full.baselines[c] - fold.baselines[c] : 0.0;
      sum += std::isnan(fold.columns[c]) ? full.columns[c] : fold.columns[c] + offset;
      counted += 1.0;
    }
    return sum / counted;
  }

  // Pairs of folds left out as well: where samples are few for their dimensions, scores bend so
  // much that the plain jackknife overstates their spread (jackknife.h).
  Index pairs() const {
    const bool few = rows_.rows() < 4 * rows_.cols();
    return few && folds_.count > 2 ? folds_.count / 2 : 0;  // of two, nothing would be left
  }

  // How many folds can be summed side by side: a matter of the data and the limit alone, or the
  // order of summation would depend on the number of threads. Throws when memory does not suffice.
  Index folds_per_pass() const {
    const Index bytes = moments_bytes(rows_.cols(), targets_.columns());
    const Index group =
        std::max<Index>(1, std::min(options_.memory_limit / 4, options_.fold_memory) / bytes);
    const bool jackknife = folds_.count > 0;
    const Index held =
        jackknife ? std::min(std::max<Index>(group, pairs() > 0 ? 2 : 1), folds_.count) + 1 : 1;
    const Index needed =
        bytes * (held + Index{2} * (jackknife ? pool_.threads() : 1)) + kBlockBytes;
    if (needed <= options_.memory_limit) return group;
    throw Error(
        ErrorCode::too_large,
        fmt::format(
            "{}: {} dimensions and {} target columns need {} of memory, the limit is {}; raise "
            "--memory-limit{}",
            rows_.where(), rows_.cols(), targets_.columns(),
            human_bytes(static_cast<double>(needed)),
            human_bytes(static_cast<double>(options_.memory_limit)),
            jackknife ? ", use fewer --threads, or do without intervals (--ci 0)" : ""));
  }

  void report(double done) const {
    if (progress_) progress_(done, rows_.where());
  }

  ThreadPool& pool_;
  const RowSource& rows_;
  const Targets& targets_;
  const Folds& folds_;
  const ScoreOptions& options_;
  const ProgressCallback& progress_;
  std::shared_ptr<const Moments>* kept_;
  std::mutex mutex_;
  Index refits_done_ = 0;
  std::vector<MetricScore> results_;
};

}  // namespace

std::vector<MetricScore> score_by_moments(ThreadPool& pool, const RowSource& rows,
                                          const Targets& targets, const Folds& folds,
                                          const std::vector<const Metric*>& metrics,
                                          const ScoreOptions& options,
                                          const ProgressCallback& progress,
                                          std::shared_ptr<const Moments>* kept) {
  return MomentScorer(pool, rows, targets, folds, metrics, options, progress, kept).run();
}

}  // namespace assay
