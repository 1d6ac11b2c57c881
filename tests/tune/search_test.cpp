// Tests: tune/run_jobs, images/training_images.
#include "tune/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/random.h"
#include "relu_trainer.h"
#include "support.h"
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

  SearchedRuns run(const std::vector<TuneJob>& jobs) {
    const TuneContext context{&data_, &settings_, 0, "digest"};
    return search_then_run(test::pool(), jobs, context,
                           [this](double done, const std::string&) { told_.push_back(done); });
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
  ASSERT_EQ(found.searched.size(), 1U);
  EXPECT_EQ(found.searched[0].rate, 1e-9);
  ASSERT_EQ(found.runs.size(), 3U);
  for (Index seed = 0; seed < 3; ++seed) {
    const TuneRun& one = found.runs[static_cast<std::size_t>(seed)];
    EXPECT_EQ(one.rate, 0.05);
    EXPECT_EQ(one.seed, static_cast<std::uint64_t>(seed));
    const EpochRecord& best =
        one.training.epochs[static_cast<std::size_t>(one.training.best_epoch - 1)];
    EXPECT_GT(best.validation->accuracy.value(), 0.9);
  }
  EXPECT_TRUE(std::is_sorted(told_.begin(), told_.end()));
  EXPECT_DOUBLE_EQ(told_.back(), 1.0);
}

// What was only tried is not written; the best setting is run again for its file, and every seed
// has one of its own.
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
  EXPECT_GT(found.runs[0].training.resumed_from, 0);  // its checkpoint spared the work
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "checkpoints"));
  const TuneContext context{&data_, &settings_, 0, "digest"};
  write_tuned_hub(folder_ / "out", found.runs, network_, context);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "hub.json"));
}

TEST_F(Search, NeedsValidationToChooseBy) {
  data_.validation.clear();
  EXPECT_THAT(test::error_of([&] { run({{.network = &network_}}); }),
              HasSubstr("chosen among by validation"));
  settings_.rates = {0.05};
  EXPECT_EQ(run({{.network = &network_}}).runs.size(), 1U);
}

TEST_F(Search, ListsWhatFailsAndGoesOn) {
  NetworkSource broken = network_;
  broken.name = "broken";
  broken.train = [](int) -> std::unique_ptr<Trainer> { throw std::runtime_error("no such layer"); };
  settings_.rates = {0.05};
  const SearchedRuns found = run({{.network = &broken}, {.network = &network_}});
  EXPECT_EQ(found.runs.size(), 1U);
  ASSERT_EQ(found.failed.size(), 1U);
  EXPECT_THAT(found.failed[0].error, HasSubstr("no such layer"));
  EXPECT_THAT(run({}).runs, IsEmpty());
}

}  // namespace
}  // namespace assay
