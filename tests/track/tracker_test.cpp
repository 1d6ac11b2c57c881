// Tests: track/tracker, track/track_checkpoints, track/track_report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.h"
#include "assay/track.h"
#include "rank/score_model.h"
#include "support.h"
#include "track/checkpoint_steps.h"
#include "track/track_report.h"

namespace assay {
namespace {

using testing::HasSubstr;

// Ten classes of 32 dimensions with less and less noise: what training does.
struct Training {
  Targets targets;
  std::vector<Rows> checkpoints;
};

Training training_of(const std::vector<double>& noises) {
  const Matrix centres = test::gaussian(10, 32, 5);
  std::vector<Label> labels;
  for (int i = 0; i < 300; ++i) labels.push_back(static_cast<Label>(i % 10));
  Training out{test::class_targets(labels), {}};
  const Matrix noise = test::gaussian(300, 32, 6);
  for (std::size_t k = 0; k < noises.size(); ++k) {
    Matrix x = noises[k] * noise + 0.01 * test::gaussian(300, 32, 50 + k);
    for (Index i = 0; i < 300; ++i) x.row(i) += centres.row(i % 10);
    out.checkpoints.push_back(rows_of_matrix(x, "step" + std::to_string(k)));
  }
  return out;
}

TrackSetting setting_of(const Training& training) {
  TrackSetting setting;
  setting.labels = training.targets;
  setting.memory_limit = Index{1} << 30;
  return setting;
}

TrackResult followed(const Training& training, const std::string& by = "") {
  TrackSetting setting = setting_of(training);
  setting.by = by;
  Tracker tracker(test::pool(), setting);
  double step = 0.0;
  for (const Rows& rows : training.checkpoints) {
    tracker.update(rows->where(), step, *rows);
    step += 100.0;
  }
  return tracker.result();
}

const TrackedScore& score_of(const TrackResult& result, std::size_t checkpoint,
                             const std::string& name) {
  for (std::size_t q = 0; q < result.quantities.size(); ++q)
    if (result.quantities[q].name == name) return result.checkpoints[checkpoint].scores[q];
  throw std::runtime_error("no " + name);
}

TEST(Tracker, SeesWhatGetsBetterAndWhenThatEnds) {
  const TrackResult result = followed(training_of({8, 4, 2, 1.6, 1.6, 1.6}));
  EXPECT_EQ(result.quantities.front().name, "logme");
  EXPECT_EQ(result.improved_last, 3U);
  EXPECT_FALSE(result.still_improving());
  EXPECT_THAT(track_verdict(result), HasSubstr("No longer improving since step 300"));
  for (std::size_t k = 1; k < 4; ++k) {
    const TrackedScore& score = score_of(result, k, "logme");
    EXPECT_GT(*score.change, result.half_width_factor() * *score.change_error) << k;
  }
  const TrackedScore& last = score_of(result, 5, "logme");
  EXPECT_LT(std::abs(*last.change), result.half_width_factor() * *last.change_error);
  EXPECT_LT(*last.change_error, 0.2 * *last.error);  // paired, and nearly the same features
}

TEST(Tracker, SaysThatTrainingStillImproves) {
  const TrackResult result = followed(training_of({8, 4, 2}));
  EXPECT_TRUE(result.still_improving());
  EXPECT_EQ(result.best, 2U);
  EXPECT_THAT(track_verdict(result), HasSubstr("still improving"));
  EXPECT_TRUE(track_json(result).at("no_longer_improving_since").is_null());
}

// Each gain is too small to be seen, all together are not.
TEST(Tracker, FindsASlowGain) {
  std::vector<double> noises;
  for (int k = 0; k < 12; ++k) noises.push_back(3.0 - 0.05 * k);
  EXPECT_GE(followed(training_of(noises), "knn").improved_last, 4U);
}

// Checkpoints that are all as good: a false alarm in no more than 5 % of runs.
TEST(Tracker, RarelySeesAGainWhereThereIsNone) {
  int alarms = 0;
  constexpr int kRuns = 60;
  for (int run = 0; run < kRuns; ++run) {
    const test::Sample sample = test::blobs(3, 20, 4, 1.0, 10 + run);
    TrackSetting setting;
    setting.labels = sample.targets;
    setting.memory_limit = Index{1} << 30;
    Tracker tracker(test::pool(), setting);
    for (int k = 0; k < 5; ++k) {
      const Matrix x = sample.features + 2.0 * test::gaussian(60, 4, 1000 + 10 * run + k);
      tracker.update("c", k, *rows_of_matrix(x, "c"));
    }
    alarms += tracker.result().improved_last > 0 ? 1 : 0;
  }
  EXPECT_LE(alarms, kRuns / 10);
}

TEST(Tracker, WithoutLabelsHasRankMeAndDecay) {
  const Training training = training_of({4, 2});
  TrackSetting setting;
  setting.memory_limit = Index{1} << 30;
  setting.views = 2;
  Tracker tracker(test::pool(), setting);
  const Checkpoint& first = tracker.update("a", 1, *training.checkpoints[0]);
  ASSERT_EQ(tracker.result().quantities.size(), 3U);
  EXPECT_EQ(tracker.result().quantities[0].name, "rankme");
  EXPECT_EQ(tracker.result().quantities[2].name, "lidar");
  EXPECT_FALSE(first.scores[2].error);
  EXPECT_FALSE(first.scores[0].change);
}

TEST(Tracker, RefusesWhatDoesNotFit) {
  const Training training = training_of({4, 2});
  Tracker tracker(test::pool(), setting_of(training));
  tracker.update("a", 5, *training.checkpoints[0]);
  EXPECT_THAT(test::error_of([&] { tracker.update("b", 5, *training.checkpoints[1]); }),
              HasSubstr("steps ascend"));
  EXPECT_THAT(test::error_of([&] {
                tracker.update("b", 6, *rows_of_matrix(test::gaussian(299, 32, 1), "short"));
              }),
              HasSubstr("short"));
  TrackSetting setting = setting_of(training);
  setting.by = "alpha_req";
  EXPECT_THAT(test::error_of([&] { Tracker other(test::pool(), setting); }),
              HasSubstr("expected one of: logme, knn, probe_r2, rankme"));
}

TEST(TrackCheckpoints, GoByTheStepsInNames) {
  const Training training = training_of({2, 4, 8});
  TrackRequest request;
  request.setting = setting_of(training);
  request.hub.models = {{"ckpt_1000", {}, {}, training.checkpoints[0]},
                        {"ckpt_200", {}, {}, training.checkpoints[1]},
                        {"ckpt_30", {}, {}, training.checkpoints[2]}};
  const TrackResult result = track_checkpoints(test::pool(), request, {});
  EXPECT_EQ(result.checkpoints.front().name, "ckpt_30");
  EXPECT_EQ(result.checkpoints.back().step, 1000.0);
  EXPECT_TRUE(result.still_improving());
  EXPECT_THAT(track_table(result), HasSubstr("ckpt_200"));
  request.hub.models[1].rows = rows_of_matrix(test::gaussian(7, 32, 1), "short.npy");
  EXPECT_EQ(track_checkpoints(test::pool(), request, {}).failed.size(), 1U);
}

TEST(CheckpointSteps, AreTheLastNumberOfAName) {
  EXPECT_EQ(step_in("run3_step1200"), 1200.0);
  EXPECT_EQ(step_in("epoch-07-ema"), 7.0);
  EXPECT_THAT(test::error_of([] { step_in("final"); }), HasSubstr("`steps`"));
  const std::vector<Model> same = {{"a1", {}}, {"b1", {}}};
  EXPECT_THAT(test::error_of([&] { models_by_step(same, {}); }), HasSubstr("both at step 1"));
  EXPECT_EQ(models_by_step(same, {5, 2}).front().model, 1U);
}

}  // namespace
}  // namespace assay
