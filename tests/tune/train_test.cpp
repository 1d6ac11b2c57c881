// Tests: tune/tuner.
#include "tune/train.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numeric>

#include "relu_trainer.h"
#include "support.h"
#include "tune/checkpoint.h"

namespace assay {
namespace {

using test::error_of;
using test::gaussian;

constexpr Index kRows = 50;
constexpr Index kChannels = 8;
constexpr Index kDim = 6;
constexpr double kSquare = 30.0;  // of the features of these images, about

class Train : public testing::Test {
 protected:
  Train() {
    for (Index i = 0; i < kRows; ++i) {
      targets_.labels.push_back(static_cast<Label>(i % 2));
      images_.col(i).array() += i % 2 == 0 ? -0.5F : 0.5F;
    }
    std::iota(rows_.begin(), rows_.end(), 0);
    std::iota(validation_.begin(), validation_.end(), 40);
  }

  PrepareBatch prepare() const {
    return [this](std::span<const BatchRow> batch) {
      PreparedBatch out{{}, static_cast<Index>(batch.size()), kChannels, 1, 1};
      for (const BatchRow& row : batch)
        for (const float value : images_.col(row.row)) out.pixels.push_back(value);
      return out;
    };
  }

  struct Ended {
    TrainResult result;
    TunerState state;
  };
  Ended run(const TunerSetting& setting, const TrainOptions& options,
            const TrainProgress& progress = {}) const {
    test::ReluTrainer trainer(gaussian(kDim, kChannels, 3).cast<float>());
    Tuner tuner(trainer, kDim, targets_, setting);
    TrainResult result = train(tuner, prepare(), rows_, validation_, options, progress);
    return {std::move(result), tuner.state()};
  }

  Eigen::MatrixXf images_ = gaussian(kChannels, kRows, 5).cast<float>();
  TaskTargets targets_{TargetKind::classes, 2, {}, {}};
  std::vector<Index> rows_ = std::vector<Index>(40);
  std::vector<Index> validation_ = std::vector<Index>(10);
  const TrainOptions options_{.epochs = 6, .batch = 8, .rate = 0.01, .seed = 4};
};

void expect_equal(const TunerState& a, const TunerState& b) {
  EXPECT_EQ(a.learnt, b.learnt);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.buffers, b.buffers);
}

TEST_F(Train, LearnsToTellTheClassesApart) {
  const Ended ended = run({}, options_);
  ASSERT_EQ(ended.result.epochs.size(), 6U);
  EXPECT_LT(ended.result.epochs.back().train_loss, 0.5 * ended.result.epochs.front().train_loss);
  EXPECT_GE(ended.result.epochs.back().validation->accuracy.value(), 0.8);
}

TEST_F(Train, LambdaOfZeroIsPlainFineTuningBitForBit) {
  const auto bayes =
      bayesian_penalty(gaussian(kDim, 2, 7), {gaussian(2, kRows, 8).cast<float>(), 1});
  const auto distill = distillation_penalty({{gaussian(3, kRows, 9).cast<float>(), 1}}, kSquare);
  const Ended plain = run({.seed = 4}, options_);
  for (const Penalty* penalty : {bayes.get(), distill.get()}) {
    const Ended zero = run({.penalty = penalty, .lambda = 0.0, .seed = 4}, options_);
    expect_equal(zero.state, plain.state);
    EXPECT_EQ(zero.result.weights.parameters, plain.result.weights.parameters);
    // And lambda does something.
    const Ended taught = run({.penalty = penalty, .lambda = 0.1, .seed = 4}, options_);
    EXPECT_NE(taught.result.weights.parameters, plain.result.weights.parameters);
  }
}

TEST_F(Train, TheSameSeedGivesTheSameWeightsAndAnotherDoesNot) {
  expect_equal(run({.seed = 4}, options_).state, run({.seed = 4}, options_).state);
  TrainOptions other = options_;
  other.seed = 5;
  EXPECT_NE(run({.seed = 5}, other).state.learnt, run({.seed = 4}, options_).state.learnt);
}

TEST_F(Train, ARunThatWasKilledEndsAsAnUndisturbedOne) {
  const test::TemporaryDirectory folder;
  const auto penalty = distillation_penalty({{gaussian(3, kRows, 9).cast<float>(), 1}}, kSquare);
  const TunerSetting setting{.penalty = penalty.get(), .lambda = 0.3, .seed = 4};
  const Ended undisturbed = run(setting, options_);
  TrainOptions kept = options_;
  kept.checkpoint = folder / "run.npz";
  kept.cache_key = "a run";
  struct Killed {};
  for (const Index last : {2, 4}) {
    int batches = 0;
    // In the middle of the epoch after `last`.
    const TrainProgress killer = [&](double, const EpochRecord& epoch) {
      if (epoch.epoch > last && ++batches == 2) throw Killed();
    };
    EXPECT_THROW(run(setting, kept, killer), Killed);
  }
  const Ended resumed = run(setting, kept);
  EXPECT_EQ(resumed.result.resumed_from, 4);
  expect_equal(resumed.state, undisturbed.state);
  EXPECT_EQ(resumed.result.weights.parameters, undisturbed.result.weights.parameters);
  EXPECT_EQ(resumed.result.weights.head_weight, undisturbed.result.weights.head_weight);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(resumed.result.epochs[i].train_loss, undisturbed.result.epochs[i].train_loss);
    EXPECT_EQ(resumed.result.epochs[i].validation->loss,
              undisturbed.result.epochs[i].validation->loss);
  }
}

TEST_F(Train, CheckpointsOfOthersAndDamagedOnesAreIgnored) {
  const test::TemporaryDirectory folder;
  TrainOptions kept = options_;
  kept.checkpoint = folder / "run.npz";
  kept.cache_key = "a run";
  run({}, kept);
  EXPECT_TRUE(read_checkpoint(kept.checkpoint, "a run"));
  EXPECT_FALSE(read_checkpoint(kept.checkpoint, "another run"));
  std::filesystem::resize_file(kept.checkpoint, std::filesystem::file_size(kept.checkpoint) / 2);
  EXPECT_FALSE(read_checkpoint(kept.checkpoint, "a run"));
  test::write_text(kept.checkpoint, "not an archive");
  EXPECT_EQ(run({}, kept).result.resumed_from, 0);
}

TEST_F(Train, TheLastEpochIsTaken) {
  const Ended ended = run({}, options_);
  const Quality last = *ended.result.epochs.back().validation;
  // Its weights give what was said of it.
  test::ReluTrainer trainer(gaussian(kDim, kChannels, 3).cast<float>());
  Tuner tuner(trainer, kDim, targets_, {});
  tuner.set_weights(ended.result.weights);
  const Quality again = quality_on(tuner, prepare(), validation_, targets_, options_.batch);
  EXPECT_EQ(again.accuracy, last.accuracy);
  EXPECT_EQ(again.loss, last.loss);
  // Other batches differ by the rounding of float products alone.
  EXPECT_NEAR(quality_on(tuner, prepare(), validation_, targets_, 3).loss, last.loss, 1e-6);
  validation_.clear();
  EXPECT_FALSE(run({}, options_).result.epochs.back().validation);
}

// Eight epochs: the ends of the last two are averaged. A run of seven epochs at a constant rate is
// the first seven of it.
TEST_F(Train, AveragesTheWeightsOfTheLastQuarter) {
  TrainOptions eight = options_;
  eight.epochs = 8;
  eight.schedule = RateSchedule::constant;
  TrainOptions seven = eight;
  seven.epochs = 7;
  const TrainResult before = run({.seed = 4}, seven).result;
  const TrainResult last = run({.seed = 4}, eight).result;
  eight.taken = TakenWeights::average;
  const TrainResult averaged = run({.seed = 4}, eight).result;
  ASSERT_EQ(averaged.weights.parameters.size(), last.weights.parameters.size());
  for (std::size_t i = 0; i < last.weights.parameters.size(); ++i)
    EXPECT_NEAR(averaged.weights.parameters[i],
                0.5F * (before.weights.parameters[i] + last.weights.parameters[i]), 1e-6F);
  for (std::size_t i = 0; i < last.weights.head_weight.size(); ++i)
    EXPECT_NEAR(averaged.weights.head_weight[i],
                0.5F * (before.weights.head_weight[i] + last.weights.head_weight[i]), 1e-6F);
  // Statistics are those of the averaged network: near the mean of its features on all images.
  test::ReluTrainer trainer(gaussian(kDim, kChannels, 3).cast<float>());
  trainer.set_state(StateKind::parameters, averaged.weights.parameters);
  const PreparedBatch all = prepare()([&] {
    static std::vector<BatchRow> batch;
    batch.clear();
    for (const Index row : rows_) batch.push_back({row, 0});
    return std::span<const BatchRow>(batch);
  }());
  trainer.set_state(StateKind::buffers, std::vector<float>(kDim));
  trainer.forward(all.images(), Pass::training);
  const std::vector<float> tenth = trainer.state(StateKind::buffers);  // 0.1 of the mean
  EXPECT_NE(averaged.weights.buffers, last.weights.buffers);
  for (std::size_t i = 0; i < tenth.size(); ++i)
    EXPECT_NEAR(averaged.weights.buffers[i], 10.0F * tenth[i],
                0.3F * std::abs(10.0F * tenth[i]) + 0.05F);
}

TEST_F(Train, AnAverageSurvivesBeingKilled) {
  const test::TemporaryDirectory folder;
  TrainOptions kept = options_;
  kept.taken = TakenWeights::average;
  kept.epochs = 8;
  const Ended undisturbed = run({.seed = 4}, kept);
  kept.checkpoint = folder / "run.npz";
  kept.cache_key = "a run";
  struct Killed {};
  const TrainProgress killer = [&](double, const EpochRecord& epoch) {
    if (epoch.epoch == 8) throw Killed();
  };
  EXPECT_THROW(run({.seed = 4}, kept, killer), Killed);
  const Ended resumed = run({.seed = 4}, kept);
  EXPECT_EQ(resumed.result.resumed_from, 7);
  EXPECT_EQ(resumed.result.weights.parameters, undisturbed.result.weights.parameters);
  EXPECT_EQ(resumed.result.weights.buffers, undisturbed.result.weights.buffers);
  // And one that had ended is only averaged again.
  EXPECT_EQ(run({.seed = 4}, kept).result.weights.parameters,
            undisturbed.result.weights.parameters);
}

// Looked at, a penalty learns and has a gradient, and the network is that of plain fine-tuning.
TEST_F(Train, ObservingAPenaltyLeavesTheNetworkAlone) {
  const auto distill = distillation_penalty({{gaussian(3, kRows, 9).cast<float>(), 1}}, kSquare);
  const Ended plain = run({.seed = 4}, options_);
  const Ended seen = run({.penalty = distill.get(), .observe = true, .seed = 4}, options_);
  EXPECT_EQ(seen.result.weights.parameters, plain.result.weights.parameters);
  EXPECT_EQ(seen.result.weights.head_weight, plain.result.weights.head_weight);
  EXPECT_GT(seen.result.epochs.back().penalty_gradient, 0.0);
  EXPECT_GT(seen.result.epochs.back().task_gradient, 0.0);
  EXPECT_LT(seen.result.epochs.back().penalty, seen.result.epochs.front().penalty);
  EXPECT_EQ(plain.result.epochs.back().penalty_gradient, 0.0);
}

// One batch: the gradients of both terms by hand, through a head that starts small.
TEST_F(Train, GradientLengthsAreThoseOfTheFeatures) {
  const Matrix m = gaussian(kDim, 2, 7);
  const auto penalty = bayesian_penalty(m, {gaussian(2, kRows, 8).cast<float>(), 1});
  test::ReluTrainer trainer(gaussian(kDim, kChannels, 3).cast<float>());
  Tuner tuner(trainer, kDim, targets_, {.penalty = penalty.get(), .lambda = 2.0, .seed = 4});
  const std::vector<BatchRow> batch = {{0, 0}, {1, 0}, {2, 0}};
  const PreparedBatch images = prepare()(batch);
  const std::vector<float> values = trainer.forward(images.images(), Pass::training);
  const Matrix features = Eigen::Map<const Eigen::MatrixXf>(values.data(), kDim, 3).cast<double>();
  const StepLoss loss = tuner.step(images.images(), batch, 0.0);
  EXPECT_NEAR(loss.penalty_gradient, penalty->at(features, batch, {}).features.norm(), 1e-5);
  EXPECT_GT(loss.task_gradient, 0.0);
  EXPECT_NEAR(loss.total, loss.task + 2.0 * loss.penalty, 1e-12);
}

TEST_F(Train, SeveralLabelsPerSampleAreJudgedByTheirAveragePrecision) {
  TaskTargets labels{TargetKind::multi_label, 2, {}, Matrix::Zero(2, kRows)};
  for (Index i = 0; i < kRows; ++i) {
    labels.values(0, i) = i % 2 == 0 ? 1.0 : 0.0;
    labels.values(1, i) = i % 2 == 0 ? 0.0 : 1.0;
  }
  test::ReluTrainer trainer(gaussian(kDim, kChannels, 3).cast<float>());
  Tuner tuner(trainer, kDim, labels, {});
  const TrainResult result = train(tuner, prepare(), rows_, validation_, options_, {});
  EXPECT_LT(result.epochs.back().train_loss, result.epochs.front().train_loss);
  EXPECT_GT(result.epochs.back().validation->accuracy.value(), 0.8);
}

TEST_F(Train, NumbersAreLearntByTheirSquaredError) {
  TaskTargets numbers{
      TargetKind::regression, 2, {}, gaussian(2, kChannels, 1) * images_.cast<double>()};
  test::ReluTrainer trainer(gaussian(kDim, kChannels, 3).cast<float>());
  Tuner tuner(trainer, kDim, numbers, {});
  const TrainResult result = train(tuner, prepare(), rows_, validation_, options_, {});
  EXPECT_FALSE(result.epochs.back().validation->accuracy);
  EXPECT_LT(result.epochs.back().train_loss, 0.7 * result.epochs.front().train_loss);
}

TEST_F(Train, DivergenceIsAnErrorThatSaysWhatToDo) {
  TrainOptions wild = options_;
  wild.rate = 1e12;
  const std::string error = error_of([&] { run({}, wild); });
  EXPECT_NE(error.find("training diverged in epoch"), std::string::npos) << error;
  EXPECT_NE(error.find("lower the learning rate"), std::string::npos) << error;
}

}  // namespace
}  // namespace assay
