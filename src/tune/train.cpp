#include "tune/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "core/clock.h"
#include "learn/hits.h"
#include "learn/losses.h"
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
    if (!resume()) result_.best = tuner_.weights();
    for (Index epoch = static_cast<Index>(result_.epochs.size()); epoch < options_.epochs;
         ++epoch) {
      EpochRecord record = train_epoch(epoch);
      if (!validation_.empty()) {
        record.validation =
            quality_on(tuner_, prepare_, validation_, tuner_.targets(), options_.batch);
      }
      keep(record);
      if (progress_) progress_(done(epoch, batches_), record);
    }
    return std::move(result_);
  }

 private:
  bool resume() {
    if (options_.checkpoint.empty()) return false;
    std::optional<Checkpoint> found = read_checkpoint(options_.checkpoint, options_.cache_key);
    if (!found) return false;
    tuner_.set_state(std::move(found->state));
    result_ = std::move(found->result);
    result_.resumed_from = static_cast<Index>(result_.epochs.size());
    return true;
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
      if (progress_) progress_(done(epoch, k + 1), record);
    }
    record.seconds = monotonic_seconds() - started;
    return record;
  }

  void keep(const EpochRecord& record) {
    const bool best = result_.best_epoch == 0 || !record.validation ||
                      record.validation->better_than(best_quality());
    result_.epochs.push_back(record);
    if (best) {
      result_.best_epoch = record.epoch;
      result_.best = tuner_.weights();
    }
    if (!options_.checkpoint.empty())
      write_checkpoint(options_.checkpoint, options_.cache_key, {tuner_.state(), result_});
  }

  Quality best_quality() const {
    return *result_.epochs[static_cast<std::size_t>(result_.best_epoch - 1)].validation;
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
      mean = mean_squared_error(outputs, values_of(targets, part)).loss;
    }
    loss += mean * static_cast<double>(part.size());
  }
  Quality out{{}, loss / static_cast<double>(count)};
  if (targets.kind == TargetKind::classes) out.accuracy = right / static_cast<double>(count);
  return out;
}

}  // namespace assay
