#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/extract.h"
#include "assay/features.h"
#include "assay/rank.h"
#include "extract/keep_drawn.h"
#include "extract_fixture.h"

namespace assay {
namespace {

using test::error_of;
using test::kClasses;
using test::kDim;
using test::kImages;
using test::write_text;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

class ExtractHub : public test::ExtractFixture {
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
  const Hub hub = hub_of_extracted(extract_hub(test::pool(), all, {}), all.data, 2);
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
  rank.hub = hub_of_extracted(extract_hub(test::pool(), all, {}), all.data, 1);
  rank.metrics = {&find_metric("logme"), &find_metric("leep")};
  rank.memory_limit = Index{1} << 30;
  rank.hub.costs.at("fake").latency_ms = 5.0;
  rank.hub.costs.at("second").latency_ms = 2.0;
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

// Only what is drawn goes through the network, and scores are those of drawing from all.
TEST_F(ExtractHub, RunsDrawnImagesOnly) {
  const Subsample subsample{.rows = 20, .draws = 3};
  RankRequest rank;
  rank.metrics = {&find_metric("logme"), &find_metric("ridge_loo")};
  rank.memory_limit = Index{1} << 30;
  rank.subsample = subsample;
  rank.level = 0.0;
  rank.seed = 7;
  const auto values_of = [&](const ExtractRequest& some, std::optional<DrawnRows> drawn) {
    rank.hub = hub_of_extracted(extract_hub(test::pool(), some, {}), some.data, 1);
    rank.hub.drawn = std::move(drawn);
    const RankResult result = rank_hub(test::pool(), rank, {});
    EXPECT_EQ(result.draw_rows, 20);
    EXPECT_EQ(result.draws, 3);
    std::vector<double> out;
    for (const MetricScore& score : result.models.at(0).scores) out.push_back(score.score.value);
    return out;
  };
  ExtractRequest some = request();
  const DrawnRows drawn = keep_drawn(subsample, rank.seed, some.data);
  const Index kept = some.data.images->count();
  EXPECT_EQ(drawn.population, kImages);
  EXPECT_LE(kept, 60);
  EXPECT_EQ(some.data.targets.rows(), kept);
  for (const ExtractedModel& model : extract_hub(test::pool(), some, {}).models)
    EXPECT_EQ(model.computed, kept);
  const std::vector<double> of_drawn = values_of(some, drawn);
  EXPECT_EQ(of_drawn, values_of(request(), std::nullopt));
}

}  // namespace
}  // namespace assay
