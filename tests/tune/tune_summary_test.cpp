#include "tune/tune_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

using testing::ElementsAre;

TuneRun run_of(TuneMethod method, std::uint64_t seed, double accuracy, double seconds) {
  TuneRun run;
  run.method = method;
  run.teachers = method == TuneMethod::finetune ? "" : "top-2";
  run.seed = seed;
  run.test = Quality{accuracy, 1.0};
  run.training.epochs = {{.epoch = 1, .seconds = seconds}, {.epoch = 2, .seconds = seconds + 2.0}};
  return run;
}

// By hand: 0.8 and 0.6 have the mean 0.7 and the deviation 0.1 sqrt(2).
TEST(TuneSummary, HasMeansAndDeviationsOverSeeds) {
  const auto found = tune_summaries({run_of(TuneMethod::finetune, 0, 0.8, 3.0),
                                     run_of(TuneMethod::finetune, 1, 0.6, 4.0),
                                     run_of(TuneMethod::b_tuning, 0, 0.9, 5.0)});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].method, TuneMethod::finetune);
  EXPECT_THAT(found[0].values, ElementsAre(0.8, 0.6));
  EXPECT_NEAR(found[0].mean, 0.7, 1e-15);
  ASSERT_TRUE(found[0].sd);
  EXPECT_NEAR(*found[0].sd, 0.1 * std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(*found[0].standard_error, 0.1, 1e-15);
  EXPECT_EQ(found[0].seconds_per_epoch, 5.0);  // the third of 3, 4, 5, 6
  EXPECT_FALSE(found[0].against_finetune);
  EXPECT_FALSE(found[1].sd);
  EXPECT_EQ(found[1].teachers, "top-2");
}

// Only seeds that both have are compared: 0.9 - 0.8 and 0.9 - 0.7.
TEST(TuneSummary, ComparesWithFineTuningSeedBySeed) {
  const auto found = tune_summaries(
      {run_of(TuneMethod::b_tuning, 0, 0.9, 1.0), run_of(TuneMethod::b_tuning, 1, 0.9, 1.0),
       run_of(TuneMethod::b_tuning, 7, 0.1, 1.0), run_of(TuneMethod::finetune, 1, 0.7, 1.0),
       run_of(TuneMethod::finetune, 0, 0.8, 1.0)});
  ASSERT_EQ(found.size(), 2U);
  ASSERT_TRUE(found[0].against_finetune);
  EXPECT_EQ(found[0].against_finetune->pairs, 2);
  EXPECT_NEAR(found[0].against_finetune->difference, 0.15, 1e-15);
  const auto strangers = tune_summaries(
      {run_of(TuneMethod::b_tuning, 3, 0.9, 1.0), run_of(TuneMethod::finetune, 4, 0.7, 1.0)});
  EXPECT_FALSE(strangers[0].against_finetune);
}

// Without a test part the validation of the last epoch counts; of numbers, their loss.
TEST(TuneSummary, FallsBackToTheValidationOfTheLastEpoch) {
  TuneRun run = run_of(TuneMethod::finetune, 0, 0.0, 1.0);
  run.test.reset();
  run.training.epochs[0].validation = Quality{std::nullopt, 0.25};
  run.training.epochs[1].validation = Quality{std::nullopt, 0.75};
  EXPECT_THAT(tune_summaries({run})[0].values, ElementsAre(0.75));
}

}  // namespace
}  // namespace assay
