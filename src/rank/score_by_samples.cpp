#include "rank/score_by_samples.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <numeric>
#include <optional>

#include "core/clock.h"
#include "data/read_samples.h"
#include "metrics/probabilities.h"
#include "metrics/samples.h"
#include "rank/open_model.h"
#include "rank/row_spread.h"
#include "rank/sample_reading.h"
#include "rank/score_beyond_memory.h"

namespace assay {
namespace {

// Some of the rows, as the metrics see them.
struct View {
  std::optional<Samples> samples;
  std::optional<Probabilities> probabilities;

  Score score_by(const Metric& metric) const {
    return metric.from_samples != nullptr ? metric.from_samples(*samples)
                                          : metric.from_probabilities(*probabilities);
  }
};

class SampleScorer {
 public:
  SampleScorer(const ScoringTask& task, std::shared_ptr<const Moments> moments)
      : task_(task), moments_(std::move(moments)) {}

  std::vector<MetricScore> run(const std::vector<const Metric*>& metrics) {
    const double started = monotonic_seconds();
    if (std::any_of(metrics.begin(), metrics.end(),
                    [](const Metric* m) { return m->from_samples != nullptr; })) {
      require_samples_memory(task_.rows, task_.targets.columns(), task_.options.memory_limit);
      if (task_.rows.is_double()) {
        features_ = read_samples(task_.pool, task_.rows);
      } else if (task_.rows.floats_in_place() != nullptr) {
        check_floats_in_place(task_.pool, task_.rows);
      } else {
        floats_ = read_float_samples(task_.pool, task_.rows);
      }
      by_samples_ = true;
    }
    std::vector<Index> all(static_cast<std::size_t>(task_.rows.rows()));
    std::iota(all.begin(), all.end(), 0);
    const double reading = monotonic_seconds() - started;
    const bool refits =
        task_.folds.count > 0 && std::any_of(metrics.begin(), metrics.end(),
                                             [&](const Metric* m) { return wants_refit(*m); });
    std::optional<View> all_rows = view(all, !refits);
    for (const Metric* metric : metrics) {
      const double begun = monotonic_seconds();
      MetricScore result{.metric = metric, .score = all_rows->score_by(*metric)};
      result.seconds = reading + monotonic_seconds() - begun;
      if (task_.options.test_rows > 0)
        result.score.extra_variance +=
            result.score.test_variance / static_cast<double>(task_.options.test_rows);
      if (metric->replication == Replication::per_sample) find_spread(task_, result);
      results_.push_back(std::move(result));
      task_.report(static_cast<double>(results_.size()) / static_cast<double>(metrics.size()));
    }
    all_rows.reset();  // before the folds ask for memory
    refit();
    return std::move(results_);
  }

 private:
  // `last`: nobody will ask for samples again.
  View view(const std::vector<Index>& rows, bool last) {
    View out;
    const bool classes = task_.targets.kind == TargetKind::classes;
    std::vector<Label> labels;
    if (classes) {
      for (const Index row : rows)
        labels.push_back(task_.targets.labels[static_cast<std::size_t>(row)]);
    }
    const auto add_samples = [&](auto features) {
      if (classes) {
        out.samples.emplace(task_.pool, std::move(features), labels, task_.options.seed,
                            task_.options.center);
      } else {
        out.samples.emplace(
            task_.pool, std::move(features),
            TargetValues{task_.targets.values(rows, Eigen::all), task_.targets.kind},
            task_.options.seed, task_.options.center);
      }
    };
    if (by_samples_ && task_.rows.is_double()) add_samples(part(rows, last));
    if (by_samples_ && !task_.rows.is_double()) add_samples(float_part(rows));
    if (out.samples) {
      out.samples->search_exactly_up_to(task_.options.knn_exact_rows);
      out.samples->use(task_.options.pactran);
    }
    if (out.samples && !task_.groups.empty()) {
      std::vector<Label> groups;
      for (const Index row : rows) groups.push_back(task_.groups[static_cast<std::size_t>(row)]);
      out.samples->keep_together(std::move(groups));
    }
    if (task_.options.probabilities != nullptr) {
      Matrix p = (*task_.options.probabilities)(rows, Eigen::all);
      out.probabilities = classes
                              ? make_probabilities(std::move(p), labels)
                              : make_soft_probabilities(
                                    std::move(p), Matrix(task_.targets.values(rows, Eigen::all)));
      out.probabilities->pactran = task_.options.pactran;
    }
    return out;
  }

  bool whole(const std::vector<Index>& rows) const {
    return static_cast<Index>(rows.size()) == task_.rows.rows();
  }

  Matrix part(const std::vector<Index>& rows, bool last) {
    if (!whole(rows)) return features_(Eigen::all, rows);
    if (last) return std::move(features_);
    return features_;
  }

  FloatFeatures float_part(const std::vector<Index>& rows) const {
    const float* in_place = task_.rows.floats_in_place();
    const FloatView all(in_place != nullptr ? in_place : floats_.data(), task_.rows.cols(),
                        task_.rows.rows());
    if (whole(rows)) return FloatFeatures(all, moments_);
    return FloatFeatures(Eigen::MatrixXf(all(Eigen::all, rows)));
  }

  bool wants_refit(const Metric& metric) const {
    return metric.replication == Replication::refit ||
           (metric.replication == Replication::on_request && task_.options.refit);
  }

  void refit() {
    std::vector<MetricScore*> wanted;
    for (MetricScore& result : results_) {
      if (!wants_refit(*result.metric)) continue;
      result.replicates.resize(static_cast<std::size_t>(task_.folds.count));
      result.fold_variants.resize(static_cast<std::size_t>(task_.folds.count));
      wanted.push_back(&result);
    }
    if (wanted.empty()) return;
    const Index together = folds_at_a_time();
    for (Index first = 0; first < task_.folds.count; first += together) {
      task_.pool.run(std::min(together, task_.folds.count - first),
                     [&](Index i) { refit_without(first + i, wanted); });
    }
  }

  // All of them, if memory allows: what they share out is only when they run.
  Index folds_at_a_time() const {
    const Matrix* const p = task_.options.probabilities;
    const Index read = features_.size() * Index{sizeof(double)} + floats_.size() * Index{4};
    const Index one = (by_samples_ ? samples_memory(task_.rows, task_.targets.columns()) : 0) +
                      (p != nullptr ? probabilities_memory(p->rows(), p->cols()) : 0);
    const Index fitting =
        std::max<Index>(1, (task_.options.memory_limit - read) / std::max<Index>(1, one));
    return fitting >= task_.pool.threads() ? task_.folds.count : fitting;
  }

  void refit_without(Index fold, const std::vector<MetricScore*>& wanted) {
    std::vector<Index> kept;
    for (Index row = 0; row < task_.rows.rows(); ++row) {
      if (task_.folds.of_row[static_cast<std::size_t>(row)] != fold) kept.push_back(row);
    }
    const View rest = view(kept, false);
    for (MetricScore* result : wanted) {
      const Score score = rest.score_by(*result->metric);
      result->replicates[static_cast<std::size_t>(fold)] = score.value;
      result->fold_variants[static_cast<std::size_t>(fold)] = score.variants;
    }
    const std::lock_guard lock(mutex_);
    task_.report(static_cast<double>(++refits_done_) / static_cast<double>(task_.folds.count));
  }

  const ScoringTask& task_;
  std::shared_ptr<const Moments> moments_;
  bool by_samples_ = false;
  Matrix features_;         // D x n, or
  Eigen::MatrixXf floats_;  // the same where the file holds no more, and not in place
  std::mutex mutex_;
  Index refits_done_ = 0;
  std::vector<MetricScore> results_;
};

// Probabilities come apart from the samples, in memory.
Reading reading_of(const ScoringTask& task, const Metric& metric) {
  if (metric.from_samples == nullptr) return Reading::whole;
  const DrawSizes* draws = task.options.draw_sizes;
  if (draws != nullptr && draws->contains(&metric)) return Reading::drawn;
  const SampleMemory memory = sample_memory(metric, task.rows, task.targets, task.pool.threads(),
                                            task.options.memory_limit);
  return memory.reading == Reading::streamed ? Reading::streamed : Reading::whole;
}

}  // namespace

std::vector<MetricScore> score_by_samples(const ScoringTask& task,
                                          const std::vector<const Metric*>& metrics,
                                          std::shared_ptr<const Moments> moments) {
  std::vector<const Metric*> whole;
  std::vector<MetricScore> scores;
  for (const Metric* metric : metrics) {
    switch (reading_of(task, *metric)) {
      case Reading::whole:
        whole.push_back(metric);
        continue;
      case Reading::streamed:
        scores.push_back(score_streamed(task, *metric, moments));
        break;
      case Reading::drawn:
        scores.push_back(score_drawn(task, *metric, task.options.draw_sizes->at(metric)));
        break;
    }
    task.report(static_cast<double>(scores.size()) / static_cast<double>(metrics.size()));
  }
  if (whole.empty()) return scores;
  std::vector<MetricScore> more = SampleScorer(task, std::move(moments)).run(whole);
  std::move(more.begin(), more.end(), std::back_inserter(scores));
  return scores;
}

}  // namespace assay
