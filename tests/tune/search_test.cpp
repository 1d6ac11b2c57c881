// Tests: tune/run_jobs, tune/epochs_in_budget, images/training_images.
#include "tune/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/random.h"
#include "relu_trainer.h"
#include "support.h"
#include "tune/epochs_in_budget.h"
#include "tune/write_tuned.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Dark and bright pictures of one pixel, and a network of one layer that can tell them apart once
// it has learnt.
class Search : public testing::Test {
 protected:
  Search() {
    constexpr Index count = 60;
    for (Index i = 0; i < count; ++i) {
      const Label label = static_cast<Label>(i % 2);
      data_.targets.labels.push_back(label);
      for (int channel = 0; channel < 3; ++channel)
        pixels_.push_back(static_cast<std::uint8_t>(label == 0 ? 40 + random_.below(60)
                                                               : 150 + random_.below(60)));
    }
    Array array;
    array.type = ElementType::u8;
    array.item_size = 1;
    array.shape = {count, 1, 1, 3};
    array.bytes = std::as_bytes(std::span(pixels_));
    data_.name = "pixels";
    data_.train = {images_of_array(array), test::class_targets(data_.targets.labels)};
    data_.targets.kind = TargetKind::classes;
    data_.targets.outputs = 2;
    data_.rows.resize(40);
    std::iota(data_.rows.begin(), data_.rows.end(), 0);
    data_.validation.resize(20);
    std::iota(data_.validation.begin(), data_.validation.end(), 40);
    data_.mean = Vector::Zero(2);
    network_.name = "net";
    network_.file = folder_ / "net.pt";
    test::write_text(network_.file, "weights");
    network_.preprocessing.input_size = 1;
    network_.preprocessing.mean = {0.5, 0.5, 0.5};
    network_.train = [](int) {
      return std::make_unique<test::ReluTrainer>(test::gaussian(6, 3, 3).cast<float>());
    };
    settings_.epochs = 4;
    settings_.batch = 8;
    settings_.views = 1;
    settings_.rates = {1e-9, 0.05};  // the first learns nothing
    settings_.decays = {0.0};
  }

  // Chosen on the rows held back, then trained on all 60.
  SearchedRuns run(const std::vector<TuneJob>& jobs) {
    SearchedRuns found;
    const ProgressCallback told = [this](double done, const std::string&) {
      told_.push_back(done);
    };
    const TuneContext searching{&data_, &settings_, 0, "searching"};
    const std::vector<TuneJob> chosen =
        has_open_settings(jobs, settings_)
            ? search_settings(test::pool(), jobs, searching, told, found)
            : with_only_settings(jobs, settings_);
    const TuneContext context{&data_, &settings_, 0, "digest"};
    run_all_seeds(test::pool(), chosen, context, {}, found);
    return found;
  }

  test::TemporaryDirectory folder_;
  Random random_{3};
  std::vector<std::uint8_t> pixels_;
  TrainingImages data_;
  NetworkSource network_;
  TuneSettings settings_;
  std::vector<double> told_;
};

TEST_F(Search, GoesOnWithTheSettingThatValidatesBest) {
  settings_.runs = 3;
  const SearchedRuns found = run({{.network = &network_}});
  EXPECT_THAT(found.failed, IsEmpty());
  EXPECT_EQ(found.searched.size(), 2U);
  ASSERT_EQ(found.runs.size(), 3U);
  for (Index seed = 0; seed < 3; ++seed) {
    const TuneRun& one = found.runs[static_cast<std::size_t>(seed)];
    EXPECT_EQ(one.rate, 0.05);
    EXPECT_EQ(one.seed, static_cast<std::uint64_t>(seed));
    EXPECT_EQ(one.training.epochs.size(), 4U);
    EXPECT_GT(one.training.epochs.back().validation->accuracy.value(), 0.9);
  }
  EXPECT_TRUE(std::is_sorted(told_.begin(), told_.end()));
  EXPECT_DOUBLE_EQ(told_.back(), 1.0);
}

// Six rates: all for a quarter of eight epochs, the better three for half of them.
TEST_F(Search, HalvesWhatIsLeft) {
  settings_.rates.clear();
  settings_.epochs = 8;
  const std::vector<TuneJob> jobs = {{.network = &network_}};
  const SearchedRuns found = run(jobs);
  std::vector<std::size_t> epochs;
  for (const TuneRun& one : found.searched) epochs.push_back(one.training.epochs.size());
  EXPECT_THAT(epochs, ElementsAre(2, 2, 2, 2, 2, 2, 4, 4, 4));
  const PlannedEpochs planned = planned_epochs(jobs, settings_);
  EXPECT_EQ(planned.search, 6 * 2 + 3 * 4);
  EXPECT_EQ(planned.runs, 8);
}

// A penalty that pulls towards the classes, as a teacher does that knows them.
class SearchLambda : public Search {
 protected:
  SearchLambda() {
    settings_.rates = {0.02};
    settings_.epochs = 8;
    Eigen::MatrixXf said(2, 60);
    for (Index i = 0; i < 60; ++i)
      for (Index c = 0; c < 2; ++c) said(c, i) = i % 2 == c ? 1.0F : 0.0F;
    penalty_ = bayesian_penalty(test::gaussian(6, 2, 4), {said, 1});
    jobs_ = {{.network = &network_, .variant = 0},
             {.network = &network_,
              .method = TuneMethod::b_tuning,
              .teachers = "top-1",
              .penalty = penalty_.get(),
              .variant = 1}};
  }
  std::unique_ptr<Penalty> penalty_;
  std::vector<TuneJob> jobs_;
};

TEST_F(SearchLambda, TriesRatiosOfTheGradients) {
  SearchedRuns found;
  const TuneContext context{&data_, &settings_, 0, "searching"};
  const std::vector<TuneJob> chosen = search_settings(test::pool(), jobs_, context, {}, found);
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_FALSE(chosen[0].ratio);
  ASSERT_TRUE(chosen[1].ratio);
  // lambda = r times one number, that of the second epoch of plain fine-tuning.
  double unit = 0.0;
  for (const TuneRun& one : found.searched) {
    if (!one.ratio || *one.ratio == 0.0) continue;
    if (unit == 0.0) unit = one.lambda / *one.ratio;
    EXPECT_NEAR(one.lambda, *one.ratio * unit, 1e-12 * one.lambda);
  }
  TuneSettings two = settings_;
  two.epochs = 2;
  two.schedule = RateSchedule::constant;
  const TuneContext plain{&data_, &two, 0, "plain"};
  TuneJob watched = jobs_[1];
  watched.rate = 0.02;
  watched.observe = true;
  watched.seed = kSearchSeed;
  const TuneRun seen = run_job(watched, plain, {});
  const EpochRecord& counts = seen.training.epochs.back();
  EXPECT_NEAR(unit, counts.task_gradient / counts.penalty_gradient, 1e-9 * unit);
}

// r = 0 repeats plain fine-tuning bit for bit, so its runs are taken over.
TEST_F(SearchLambda, ALambdaOfZeroTakesOverTheRunsOfFineTuning) {
  settings_.lambdas = {{{}, 0.0}};
  settings_.runs = 2;
  const SearchedRuns found = run(jobs_);
  ASSERT_EQ(found.runs.size(), 4U);
  EXPECT_EQ(found.runs[2].method, TuneMethod::b_tuning);
  EXPECT_EQ(found.runs[2].teachers, "top-1");
  for (std::size_t seed : {0U, 1U})
    EXPECT_EQ(found.runs[seed].training.epochs.back().train_loss,
              found.runs[2 + seed].training.epochs.back().train_loss);
  jobs_.erase(jobs_.begin());  // nothing to take over: it is trained
  const SearchedRuns alone = run(jobs_);
  ASSERT_EQ(alone.runs.size(), 2U);
  EXPECT_EQ(alone.runs[0].training.epochs.back().train_loss,
            found.runs[0].training.epochs.back().train_loss);
}

TEST_F(SearchLambda, LambdasAreNamedPerMethod) {
  settings_.lambdas = {{{}, 5.0}, {TuneMethod::b_tuning, 7.0}};
  EXPECT_FALSE(has_open_settings(jobs_, settings_));
  EXPECT_EQ(with_only_settings(jobs_, settings_)[1].lambda, 7.0);
  settings_.lambdas = {{TuneMethod::distill, 7.0}};
  EXPECT_TRUE(has_open_settings(jobs_, settings_));  // nobody spoke of b-tuning
}

// Twice the epochs for twice the time, and never none.
TEST_F(SearchLambda, ABudgetBuysEpochs) {
  for (const double seconds : {100.0, 200.0}) {
    const Index epochs = affordable_epochs(jobs_, settings_, 0.5, seconds);
    const auto cost = [&](Index count) {
      TuneSettings with = settings_;
      with.epochs = count;
      const PlannedEpochs planned = planned_epochs(jobs_, with);
      return 0.5 * static_cast<double>(planned.search + planned.runs);
    };
    EXPECT_LE(cost(epochs), seconds);
    EXPECT_GT(cost(epochs + 1), seconds);
  }
  EXPECT_EQ(affordable_epochs(jobs_, settings_, 1e9, 1.0), 1);
}

TEST_F(SearchLambda, ABudgetIsTheSameWhenTheCommandIsRepeated) {
  settings_.checkpoints = folder_ / "checkpoints";
  settings_.budget_minutes = 0.001;
  const TuneContext context{&data_, &settings_, 0, "digest"};
  const Index epochs = epochs_in_budget(jobs_, context, 1);
  EXPECT_GE(epochs, 1);
  for (int again = 0; again < 3; ++again) EXPECT_EQ(epochs_in_budget(jobs_, context, 1), epochs);
}

// What was only tried is not written; every seed has a file of its own.
TEST_F(Search, WritesTheNetworksOfTheBestSettingOnly) {
  settings_.runs = 2;
  settings_.checkpoints = folder_ / "checkpoints";
  const SearchedRuns found =
      run({{.network = &network_, .file = folder_ / "out" / "net-finetune-seed0.pt"}});
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.runs[0].file, folder_ / "out" / "net-finetune-seed0.pt");
  EXPECT_EQ(found.runs[1].file, folder_ / "out" / "net-finetune-seed1.pt");
  EXPECT_TRUE(std::filesystem::exists(found.runs[1].file));
  EXPECT_TRUE(found.searched[0].file.empty());
  EXPECT_FALSE(std::filesystem::is_empty(folder_ / "checkpoints"));
  // Repeated after it was killed before its end, nothing is trained again.
  for (const TuneRun& again : run({{.network = &network_}}).searched)
    EXPECT_GT(again.training.resumed_from, 0);
  remove_checkpoints(found);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "checkpoints"));
  const TuneContext context{&data_, &settings_, 0, "digest"};
  write_tuned_hub(folder_ / "out", found.runs, network_, context);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "hub.json"));
}

// Trials that diverge lose; only when all do has the job failed.
TEST_F(Search, ATrialThatFailsLoses) {
  settings_.rates = {1e30, 0.05};
  const SearchedRuns found = run({{.network = &network_}});
  EXPECT_THAT(found.failed, IsEmpty());
  ASSERT_EQ(found.runs.size(), 1U);
  EXPECT_EQ(found.runs[0].rate, 0.05);
  settings_.rates = {1e30, 1e31};
  EXPECT_THAT(run({{.network = &network_}}).failed.at(0).error, HasSubstr("diverged"));
}

TEST_F(Search, ListsWhatFailsAndGoesOn) {
  NetworkSource broken = network_;
  broken.name = "broken";
  broken.train = [](int) -> std::unique_ptr<Trainer> { throw std::runtime_error("no such layer"); };
  settings_.rates = {0.05};
  const SearchedRuns found = run({{.network = &broken}, {.network = &network_, .variant = 1}});
  EXPECT_EQ(found.runs.size(), 1U);
  ASSERT_EQ(found.failed.size(), 1U);
  EXPECT_THAT(found.failed[0].error, HasSubstr("no such layer"));
}

TEST_F(Search, RowsHeldBackComeFromThoseToLearnFrom) {
  const TrainingImages part = with_held_back(data_, 0.25, 3);
  EXPECT_EQ(part.rows.size() + part.validation.size(), data_.rows.size());
  EXPECT_EQ(part.validation.size(), 10U);
  std::vector<Index> all = part.rows;
  all.insert(all.end(), part.validation.begin(), part.validation.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, data_.rows);
  Index dark = 0;
  for (const Index row : part.validation) dark += row % 2 == 0 ? 1 : 0;
  EXPECT_EQ(dark, 5);  // by class
}

}  // namespace
}  // namespace assay
