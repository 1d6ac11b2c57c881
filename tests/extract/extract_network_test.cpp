// Tests: images/images_digest, extract/compute_shards.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>
#include <thread>

#include "assay/extract.h"
#include "extract/feature_cache.h"
#include "extract_fixture.h"
#include "images/prepare.h"

namespace assay {
namespace {

using test::error_of;
using test::FakeNetwork;
using test::kClasses;
using test::kDim;
using test::kImages;
using test::write_text;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

using Extract = test::ExtractFixture;

// Row i holds what the network says of image i alone, whatever batch it came in.
TEST_F(Extract, GivesEveryImageItsRow) {
  const ExtractedModel model = extract();
  ASSERT_EQ(model.outputs.size(), 1U);
  EXPECT_EQ(model.outputs[0].dim, kDim);
  EXPECT_EQ(model.outputs[0].rows, kImages);
  EXPECT_EQ(model.outputs[0].shards.size(), 3U);
  EXPECT_EQ(model.computed, kImages);
  EXPECT_GT(model.cost.latency_ms, 0.0);
  EXPECT_EQ(model.cost.params, 123);
  EXPECT_EQ(model.cost.bytes, 7.0);
  const Matrix features = values(model.outputs[0]);
  ASSERT_TRUE(model.probabilities.has_value());
  const Matrix probabilities = values(*model.probabilities);
  ASSERT_EQ(probabilities.cols(), kClasses);
  FakeNetwork alone(calls_);
  const std::vector<std::string> wanted = {"features", "logits"};
  for (const Index i : {Index{0}, Index{9}, Index{255}, Index{256}, Index{599}}) {
    const Image image = input_.images->read(i);
    std::vector<float> pixels(48);
    prepare_image(image, {0, 0, 6, 5, false}, source_.preprocessing, pixels);
    const auto expected = alone.forward({pixels.data(), 1, 3, 4, 4}, wanted);
    double sum = 0.0;
    for (const float logit : expected[1]) sum += std::exp(static_cast<double>(logit));
    for (Index d = 0; d < kDim; ++d)
      EXPECT_EQ(features(i, d), static_cast<double>(expected[0][static_cast<std::size_t>(d)]));
    for (Index c = 0; c < kClasses; ++c) {
      EXPECT_NEAR(probabilities(i, c),
                  std::exp(static_cast<double>(expected[1][static_cast<std::size_t>(c)])) / sum,
                  1e-7);
    }
  }
}

TEST_F(Extract, ASecondRunTouchesNeitherNetworkNorImages) {
  const std::string first = digest(extract().outputs[0]);
  const Index images = calls_.images;
  const ExtractedModel again = extract();
  EXPECT_EQ(calls_.opened, 1);
  EXPECT_EQ(calls_.images, images);
  EXPECT_EQ(again.computed, 0);
  EXPECT_GT(again.cost.latency_ms, 0.0);
  EXPECT_EQ(digest(again.outputs[0]), first);
}

TEST_F(Extract, DoesNotDependOnThreadsOrBatches) {
  const std::string two = digest(extract().outputs[0]);
  for (const auto& [threads, batch] : {std::pair<int, Index>{1, 8}, {5, 8}, {3, 7}, {2, 1000}}) {
    ThreadPool pool(threads);
    options_.cache = folder_ / fmt::format("cache{}x{}", threads, batch);
    options_.batch = batch;
    EXPECT_EQ(digest(extract(pool).outputs[0]), two) << threads << " threads, batch " << batch;
  }
}

TEST_F(Extract, GoesOnWhereItStopped) {
  const std::string undisturbed = digest(extract().outputs[0]);
  options_.cache = folder_ / "other";
  ThreadPool alone(1);
  calls_.images = 0;
  calls_.stop_after = 400;  // in the second shard
  EXPECT_THAT(error_of([&] { extract(alone); }), HasSubstr("stopped on purpose"));
  calls_.stop_after = std::numeric_limits<Index>::max();
  const ExtractedModel resumed = extract(alone);
  EXPECT_EQ(resumed.computed, kImages - 256);
  EXPECT_EQ(resumed.rebuilt, 0);
  EXPECT_EQ(digest(resumed.outputs[0]), undisturbed);
}

// SIGKILL in the middle of a shard, in a process of its own.
TEST_F(Extract, SurvivesBeingKilled) {
  const std::string undisturbed = digest(extract().outputs[0]);
  options_.cache = folder_ / "other";
  calls_.images = 0;
  calls_.stop_after = 300;
  calls_.kill = true;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ThreadPool alone(1);
    extract(alone);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  calls_.stop_after = std::numeric_limits<Index>::max();
  const ExtractedModel resumed = extract();
  EXPECT_EQ(resumed.computed, kImages - 256);
  EXPECT_EQ(digest(resumed.outputs[0]), undisturbed);
}

TEST_F(Extract, RebuildsADamagedShardAndNoOther) {
  const ExtractedModel first = extract();
  const std::string undisturbed = digest(first.outputs[0]);
  const fs::path shard = first.outputs[0].shards[1];
  const fs::file_time_type kept = fs::last_write_time(first.outputs[0].shards[0]);
  {
    std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(300);
    file.put('!');
  }
  const ExtractedModel again = extract();
  EXPECT_EQ(again.rebuilt, 1);
  EXPECT_EQ(again.computed, 256);
  EXPECT_EQ(digest(again.outputs[0]), undisturbed);
  EXPECT_EQ(fs::last_write_time(first.outputs[0].shards[0]), kept);
  fs::resize_file(first.probabilities->shards[2], 100);
  EXPECT_EQ(extract().rebuilt, 1);
  fs::remove(shard);
  const ExtractedModel third = extract();
  EXPECT_EQ(third.rebuilt, 0);  // gone, not damaged
  EXPECT_EQ(third.computed, 256);
}

TEST_F(Extract, TwoAtOnceDoTheWorkOnce) {
  std::string digests[2];
  {
    std::vector<std::jthread> both;
    for (int k = 0; k < 2; ++k) {
      both.emplace_back([&, k] {
        ThreadPool alone(1);
        digests[k] = digest(extract_network(alone, source_, input_, options_, {}).outputs[0]);
      });
    }
  }
  EXPECT_EQ(digests[0], digests[1]);
  // Each may measure the latency (17 runs); the images go through once.
  EXPECT_LE(calls_.images, kImages + 2 * 17);
}

TEST_F(Extract, WhatChangesTheNumbersChangesTheAddress) {
  extract();
  options_.input_size = 5;
  EXPECT_EQ(extract().computed, kImages);
  options_.input_size = 0;
  source_.preprocessing.bgr = true;
  EXPECT_EQ(extract().computed, kImages);
  write_text(folder_ / "fake.pt", "other weights");
  EXPECT_EQ(extract().computed, kImages);
  source_.name = "renamed";
  EXPECT_EQ(extract().computed, 0);
}

TEST_F(Extract, LayersAreOutputsByTheirNames) {
  options_.layer = "all";
  const ExtractedModel model = extract();
  ASSERT_EQ(model.outputs.size(), 2U);
  EXPECT_EQ(model.outputs[1].name, "block/1");
  EXPECT_EQ(model.outputs[1].dim, 2);
  options_.layer = "block/1";
  EXPECT_EQ(extract().computed, 0);
  options_.layer = "blok/1";
  EXPECT_THAT(error_of([&] { extract(); }),
              AllOf(HasSubstr("fake.pt"), HasSubstr("did you mean 'block/1'")));
}

TEST_F(Extract, ViewsOfAnImageFollowEachOther) {
  const Matrix plain = values(extract().outputs[0]);
  options_.views = 3;
  options_.seed = 11;
  const ExtractedModel model = extract();
  EXPECT_EQ(model.outputs[0].rows, 3 * kImages);
  const Matrix views = values(model.outputs[0]);
  ASSERT_EQ(views.rows(), 3 * kImages);
  for (const Index i : {Index{0}, Index{300}, Index{599}}) {
    EXPECT_EQ(views.row(3 * i), plain.row(i));  // view 0 is the image itself
    EXPECT_NE(views.row(3 * i + 1), plain.row(i));
    EXPECT_NE(views.row(3 * i + 1), views.row(3 * i + 2));
  }
  options_.seed = 12;
  EXPECT_NE(values(extract().outputs[0]), views);
}

TEST_F(Extract, NetworksWithoutSourceClassesGiveNoProbabilities) {
  source_.classes = 0;
  EXPECT_FALSE(extract().probabilities.has_value());
}

class BadNetwork final : public Network {
 public:
  explicit BadNetwork(float value, Index count) : value_(value), count_(count) {}
  std::vector<NetworkOutput> outputs() const override { return {{"features", 0}}; }
  std::vector<std::vector<float>> forward(const ImageBatch& batch,
                                          std::span<const std::string> /*wanted*/) override {
    return {std::vector<float>(static_cast<std::size_t>(batch.count * 2 + count_), value_)};
  }

 private:
  float value_;
  Index count_;
};

TEST_F(Extract, OutputsThatCannotBeAreErrors) {
  const auto error_with = [&](float value, Index count) {
    source_.open = [=] { return std::make_unique<BadNetwork>(value, count); };
    return error_of([&] { extract(); });
  };
  EXPECT_THAT(error_with(std::numeric_limits<float>::quiet_NaN(), 0),
              AllOf(HasSubstr("fake.pt"), HasSubstr("nan"), HasSubstr("images.npy: image ")));
  EXPECT_THAT(error_with(0.0F, 1), HasSubstr("numbers for"));
}

}  // namespace
}  // namespace assay
