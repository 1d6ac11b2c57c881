#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>
#include <thread>

#include "assay/cache/feature_cache.h"
#include "assay/core/error.h"
#include "assay/core/random.h"
#include "assay/data/open_features.h"
#include "assay/dataset/prepare.h"
#include "assay/io/digest.h"
#include "assay/io/npy.h"
#include "assay/pipeline/extract_hub.h"
#include "assay/pipeline/rank_hub.h"
#include "support.h"

namespace assay {
namespace {

using test::error_of;
using test::write_text;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr Index kImages = 600;  // three shards: 256, 256, 88
constexpr Index kDim = 5;
constexpr Index kClasses = 4;

struct Calls {
  std::atomic<Index> opened = 0;
  std::atomic<Index> images = 0;
  std::atomic<Index> stop_after = std::numeric_limits<Index>::max();  // images
  bool kill = false;  // end the process instead of throwing
};

// Fixed projections of the pixels: what a network is to extraction.
class FakeNetwork final : public Network {
 public:
  explicit FakeNetwork(Calls& calls) : calls_(calls) { ++calls_.opened; }

  std::vector<NetworkOutput> outputs() const override {
    return {{"features", kDim}, {"logits", kClasses}, {"block/1", 0}};
  }

  std::vector<std::vector<float>> forward(const ImageBatch& batch,
                                          std::span<const std::string> wanted) override {
    calls_.images += batch.count;
    if (calls_.images > calls_.stop_after) {
      if (calls_.kill) ::kill(::getpid(), SIGKILL);
      fail_input("fake.pt: stopped on purpose");
    }
    std::vector<std::vector<float>> out;
    for (const std::string& name : wanted) {
      const Index dim = name == "features" ? kDim : name == "logits" ? kClasses : 2;
      std::vector<float> values;
      for (Index i = 0; i < batch.count; ++i) {
        for (Index d = 0; d < dim; ++d) values.push_back(project(batch, i, d));
      }
      out.push_back(std::move(values));
    }
    return out;
  }

 private:
  static float project(const ImageBatch& batch, Index image, Index d) {
    const Index size = batch.channels * batch.height * batch.width;
    double sum = 0.0;
    for (Index k = 0; k < size; ++k) {
      sum += std::cos(static_cast<double>(k * (d + 1))) *
             static_cast<double>(batch.pixels[image * size + k]);
    }
    return static_cast<float>(sum);
  }

  Calls& calls_;
};

class Extract : public testing::Test {
 protected:
  Extract() {
    write_text(folder_ / "fake.pt", "weights");
    std::vector<std::uint8_t> bytes;
    Random random(3);
    for (Index i = 0; i < kImages * 6 * 5 * 3; ++i)
      bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
    const std::vector<Index> shape = {kImages, 6, 5, 3};
    write_npy(folder_ / "images.npy", ElementType::u8, shape, std::as_bytes(std::span(bytes)));
    input_ = {images_of_array(open_npy(folder_ / "images.npy")), "noise", {}};
    input_.digest = images_digest(test::pool(), *input_.images);
    options_.cache = folder_ / "cache";
    source_ = {"fake",
               folder_ / "fake.pt",
               {4, 255.0, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, false},
               kClasses,
               123,
               {},
               [this] { return std::make_unique<FakeNetwork>(calls_); }};
  }

  ExtractedModel extract(ThreadPool& pool = test::pool()) {
    return extract_network(pool, source_, input_, options_, {});
  }

  static Matrix values(const ExtractedOutput& output) {
    std::vector<Rows> shards;
    for (const fs::path& shard : output.shards) shards.push_back(open_features(shard));
    return test::matrix_of(*rows_of_shards(std::move(shards)));
  }

  static std::string digest(const ExtractedOutput& output) {
    std::string all;
    for (const fs::path& shard : output.shards) all += file_digest(shard);
    return all;
  }

  test::TemporaryDirectory folder_;
  Calls calls_;
  NetworkSource source_;
  ImageInput input_;
  ExtractOptions options_;
};

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

class ExtractHub : public Extract {
 protected:
  ExtractRequest request() {
    std::vector<Label> labels;
    for (Index i = 0; i < kImages; ++i) labels.push_back(static_cast<Label>(i % 3));
    NetworkSource broken = source_;
    broken.name = "broken";
    broken.open = []() -> std::unique_ptr<Network> { fail_input("broken.pt: not a network"); };
    write_text(folder_ / "broken.pt", "other");
    broken.file = folder_ / "broken.pt";
    NetworkSource other = source_;
    other.name = "second";
    other.preprocessing.input_size = 3;
    return {{broken, source_, other},
            {input_.images, test::class_targets(labels)},
            "noise",
            folder_ / "images.npy",
            options_};
  }
};

TEST_F(ExtractHub, AFailingNetworkDoesNotStopTheOthers) {
  const ExtractResult result = extract_hub(test::pool(), request(), {});
  ASSERT_EQ(result.failed.size(), 1U);
  EXPECT_EQ(result.failed[0].name, "broken");
  EXPECT_THAT(result.failed[0].error, HasSubstr("not a network"));
  EXPECT_EQ(result.models.size(), 2U);
}

TEST_F(ExtractHub, AnUnreadableImageIsNamedInTheError) {
  write_text(folder_ / "cut.jpg", "\xFF\xD8\xFF");
  ExtractRequest bad = request();
  bad.data = {images_of_files({folder_ / "cut.jpg"}), test::class_targets({0})};
  const ExtractResult result = extract_hub(test::pool(), bad, {});
  ASSERT_EQ(result.failed.size(), 3U);
  EXPECT_THAT(result.failed[1].error, HasSubstr("cut.jpg"));
}

TEST_F(ExtractHub, WritesAHubThatRankReads) {
  options_.views = 2;
  const ExtractRequest all = request();
  const ExtractedHub hub = extracted_hub(extract_hub(test::pool(), all, {}), all.data, 2);
  write_extracted_hub(hub, folder_ / "out");
  const Array labels = open_npy(folder_ / "out/labels.npy");
  EXPECT_THAT(labels.shape, ElementsAre(2 * kImages));
  EXPECT_EQ(integer_at(labels, 2), 1);
  EXPECT_EQ(integer_at(labels, 3), 1);
  const Array features = open_npy(folder_ / "out/fake/features.npy");
  EXPECT_THAT(features.shape, ElementsAre(2 * kImages, kDim));
  EXPECT_EQ(
      number_at(features, 2 * 300 * kDim),
      values(extract_network(test::pool(), source_, input_, options_, {}).outputs[0])(600, 0));
  EXPECT_THAT(open_npy(folder_ / "out/second/probs.npy").shape, ElementsAre(2 * kImages, kClasses));
  RankRequest rank;
  rank.inputs = {folder_ / "out"};
  rank.labels = folder_ / "out/labels.npy";
  rank.metrics = {&find_metric("logme"), &find_metric("leep")};
  rank.memory_limit = Index{1} << 30;
  const RankResult result = rank_hub(test::pool(), rank, {});
  EXPECT_EQ(result.models.size(), 2U);
  EXPECT_TRUE(result.failed.empty());
}

TEST_F(ExtractHub, RankTakesWhatTheCacheHolds) {
  const ExtractRequest all = request();
  RankRequest rank;
  rank.inputs = {folder_.path()};
  rank.extracted = extracted_hub(extract_hub(test::pool(), all, {}), all.data, 1);
  rank.metrics = {&find_metric("logme"), &find_metric("leep")};
  rank.memory_limit = Index{1} << 30;
  rank.extracted->costs.at("fake").latency_ms = 5.0;
  rank.extracted->costs.at("second").latency_ms = 2.0;
  RankResult result = rank_hub(test::pool(), rank, {});
  ASSERT_EQ(result.models.size(), 2U);
  // images.npy lies in the hub too; it holds bytes, no features.
  ASSERT_EQ(result.failed.size(), 2U);
  EXPECT_EQ(result.failed[0].name, "broken");
  const auto first = static_cast<std::size_t>(result.ranking.places[0].candidate);
  EXPECT_TRUE(result.models[first].pareto);
  const bool fast_first = result.models[first].name == "second";
  EXPECT_EQ(result.models[1 - first].pareto, !fast_first);
  ASSERT_TRUE(result.models[first].cost.has_value());
}

}  // namespace
}  // namespace assay
