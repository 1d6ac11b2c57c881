#include "tune/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "core/clock.h"
#include "learn/hits.h"
#include "learn/losses.h"
#include "metrics/average_precision.h"
#include "tune/checkpoint.h"

namespace assay {
namespace {

constexpr std::uint64_t kOrderStream = 3;

std::vector<BatchRow> epoch_order(const std::vector<Index>& rows, const TrainOptions& options,
                                  Index epoch) {
  Random random(
      mixed_seed(mixed_seed(options.seed, kOrderStream), static_cast<std::uint64_t>(epoch)));
  std::vector<BatchRow> out;
  for (const Index i : random.permutation(static_cast<Index>(rows.size())))
    out.push_back({rows[static_cast<std::size_t>(i)], 0});
  if (options.views > 1)
    for (BatchRow& row : out) row.view = random.below(options.views);
  return out;
}

class Training {
 public:
  Training(Tuner& tuner, const PrepareBatch& prepare, const std::vector<Index>& rows,
           const std::vector<Index>& validation, const TrainOptions& options,
           const TrainProgress& progress)
      : tuner_(tuner),
        prepare_(prepare),
        rows_(rows),
        validation_(validation),
        options_(options),
        progress_(progress),
        batch_(std::min<Index>(options.batch, static_cast<Index>(rows.size()))),
        batches_(static_cast<Index>(rows.size()) / batch_) {}

  TrainResult run() {
    resume();
    for (Index epoch = static_cast<Index>(result_.epochs.size()); epoch < options_.epochs;
         ++epoch) {
      EpochRecord record = train_epoch(epoch);
      record.validation = validated();
      keep(record);
      if (progress_) progress_(done(epoch, batches_), record);
    }
    if (!average_.empty()) take_average();
    result_.weights = tuner_.weights();
    return std::move(result_);
  }

 private:
  void resume() {
    if (options_.checkpoint.empty()) return;
    std::optional<Checkpoint> found = read_checkpoint(options_.checkpoint, options_.cache_key);
    if (!found) return;
    tuner_.set_state(std::move(found->state));
    result_ = std::move(found->result);
    average_ = std::move(found->average);
    result_.resumed_from = static_cast<Index>(result_.epochs.size());
  }

  std::optional<Quality> validated() {
    if (validation_.empty()) return std::nullopt;
    return quality_on(tuner_, prepare_, validation_, tuner_.targets(), options_.batch);
  }

  // Epochs whose ends are averaged: those that begin in the last quarter, one at least.
  Index first_averaged() const { return std::min(options_.epochs - 1, 3 * options_.epochs / 4); }

  void add_to_average() {
    const auto epochs = static_cast<Index>(result_.epochs.size());
    if (options_.taken != TakenWeights::average || epochs <= first_averaged()) return;
    const std::vector<float> now = tuner_.state().learnt;
    if (average_.empty()) average_.resize(now.size());
    const auto share = 1.0 / static_cast<double>(epochs - first_averaged());
    for (std::size_t i = 0; i < now.size(); ++i)
      average_[i] += static_cast<float>(share * (now[i] - average_[i]));
  }

  // The running statistics of BatchNorm belong to weights that are gone. They are moving averages
  // with a momentum that is the network's own business, so one more pass over the training images
  // is made and their values after each batch are averaged, the first third left out as a warm-up.
  void take_average() {
    TunerState state = tuner_.state();
    state.learnt = average_;
    tuner_.set_state(state);
    const std::vector<BatchRow> order = epoch_order(rows_, options_, options_.epochs - 1);
    std::vector<double> sum(state.buffers.size());
    double counted = 0.0;
    for (Index k = 0; k < batches_ && !sum.empty(); ++k) {
      const std::span<const BatchRow> batch(order.data() + k * batch_,
                                            static_cast<std::size_t>(batch_));
      const std::vector<float> buffers = tuner_.buffers_after(prepare_(batch).images());
      if (3 * k < batches_ - 1) continue;
      counted += 1.0;
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += buffers[i];
    }
    for (std::size_t i = 0; i < sum.size(); ++i)
      state.buffers[i] = static_cast<float>(sum[i] / counted);
    tuner_.set_state(state);
    result_.epochs.back().validation = validated();
  }

  double done(Index epoch, Index batch) const {
    return static_cast<double>(epoch * batches_ + batch) /
           static_cast<double>(options_.epochs * batches_);
  }

  EpochRecord train_epoch(Index epoch) {
    const double started = monotonic_seconds();
    const double rate = options_.rate * rate_factor(options_.schedule, epoch, options_.epochs);
    const std::vector<BatchRow> order = epoch_order(rows_, options_, epoch);
    EpochRecord record{.epoch = epoch + 1};
    for (Index k = 0; k < batches_; ++k) {
      const std::span<const BatchRow> batch(order.data() + k * batch_,
                                            static_cast<std::size_t>(batch_));
      const StepLoss loss = tuner_.step(prepare_(batch).images(), batch, rate);
      if (!std::isfinite(loss.total)) {
        fail_input(
            fmt::format("training diverged in epoch {}: the loss is {}; lower the learning "
                        "rate (now {}) or lambda",
                        record.epoch, loss.total, options_.rate));
      }
      // Running means, so that a look in between is right.
      const double share = 1.0 / static_cast<double>(k + 1);
      record.train_loss += (loss.total - record.train_loss) * share;
      record.task_loss += (loss.task - record.task_loss) * share;
      record.penalty += (loss.penalty - record.penalty) * share;
      record.task_gradient += (loss.task_gradient - record.task_gradient) * share;
      record.penalty_gradient += (loss.penalty_gradient - record.penalty_gradient) * share;
      if (progress_) progress_(done(epoch, k + 1), record);
    }
    record.seconds = monotonic_seconds() - started;
    return record;
  }

  void keep(const EpochRecord& record) {
    result_.epochs.push_back(record);
    add_to_average();
    if (!options_.checkpoint.empty())
      write_checkpoint(options_.checkpoint, options_.cache_key,
                       {tuner_.state(), result_, average_});
  }

  Tuner& tuner_;
  const PrepareBatch& prepare_;
  const std::vector<Index>& rows_;
  const std::vector<Index>& validation_;
  const TrainOptions& options_;
  const TrainProgress& progress_;
  Index batch_;
  Index batches_;  // per epoch
  TrainResult result_;
  std::vector<float> average_;
};

Matrix values_of(const TaskTargets& targets, std::span<const BatchRow> rows) {
  Matrix out(targets.outputs, static_cast<Index>(rows.size()));
  for (Index i = 0; i < out.cols(); ++i)
    out.col(i) = targets.values.col(rows[static_cast<std::size_t>(i)].row);
  return out;
}

std::vector<Label> labels_of(const TaskTargets& targets, std::span<const BatchRow> rows) {
  std::vector<Label> out;
  for (const BatchRow& row : rows) out.push_back(targets.labels[static_cast<std::size_t>(row.row)]);
  return out;
}

}  // namespace

namespace {

// Over the labels that some samples have and others lack; none: 0.
double mean_average_precision(const Matrix& targets, const Matrix& scores) {
  std::vector<Index> vary;
  for (Index c = 0; c < targets.cols(); ++c)
    if (targets.col(c).minCoeff() < targets.col(c).maxCoeff()) vary.push_back(c);
  if (vary.empty()) return 0.0;
  const std::vector<double> parts =
      average_precision_by_sample(targets(Eigen::all, vary), scores(Eigen::all, vary));
  return std::accumulate(parts.begin(), parts.end(), 0.0) / static_cast<double>(parts.size());
}

}  // namespace

bool Quality::better_than(const Quality& other) const {
  if (accuracy && other.accuracy && *accuracy != *other.accuracy)
    return *accuracy > *other.accuracy;
  return loss < other.loss;
}

TrainResult train(Tuner& tuner, const PrepareBatch& prepare, const std::vector<Index>& rows,
                  const std::vector<Index>& validation, const TrainOptions& options,
                  const TrainProgress& progress) {
  return Training(tuner, prepare, rows, validation, options, progress).run();
}

Quality quality_on(Tuner& tuner, const PrepareBatch& prepare, const std::vector<Index>& rows,
                   const TaskTargets& targets, Index batch) {
  const auto count = static_cast<Index>(rows.size());
  double right = 0.0;
  double loss = 0.0;
  const Index kept = targets.kind == TargetKind::multi_label ? count : 0;
  Matrix said(kept, targets.outputs);
  Matrix meant(kept, targets.outputs);
  for (Index first = 0; first < count; first += batch) {
    std::vector<BatchRow> part;
    for (Index i = first; i < std::min(first + batch, count); ++i)
      part.push_back({rows[static_cast<std::size_t>(i)], 0});
    const Matrix outputs = tuner.outputs(prepare(part).images());
    double mean = 0.0;
    if (targets.kind == TargetKind::classes) {
      const std::vector<Label> labels = labels_of(targets, part);
      right += hits(outputs, labels).sum();
      mean = cross_entropy(outputs, labels).loss;
    } else {
      const Matrix values = values_of(targets, part);
      const bool several = targets.kind == TargetKind::multi_label;
      mean = (several ? binary_cross_entropy(outputs, values) : mean_squared_error(outputs, values))
                 .loss;
      if (several) {
        said.middleRows(first, outputs.cols()) = outputs.transpose();
        meant.middleRows(first, outputs.cols()) = values.transpose();
      }
    }
    loss += mean * static_cast<double>(part.size());
  }
  Quality out{{}, loss / static_cast<double>(count)};
  if (targets.kind == TargetKind::classes) out.accuracy = right / static_cast<double>(count);
  if (kept > 0) out.accuracy = mean_average_precision(meant, said);
  return out;
}

}  // namespace assay
