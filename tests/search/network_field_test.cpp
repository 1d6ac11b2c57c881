#include "search/network_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../extract/extract_fixture.h"
#include "search/race_order.h"

namespace assay {
namespace {

using test::kDim;
using test::kImages;

// A race of one fake network on its 600 images.
class NetworkRace : public test::ExtractFixture {
 protected:
  NetworkRace() {
    std::vector<Label> labels;
    for (Index i = 0; i < kImages; ++i) labels.push_back(static_cast<Label>(i % 3));
    request_.hub.targets = test::class_targets(labels);
    request_.hub.models = {{"fake", {}}};
    request_.metrics = {&find_metric("ridge_loo")};
    request_.memory_limit = Index{1} << 30;
    plan_ = std::make_unique<RankPlan>(plan_ranking(request_));
    order_ = race_order(plan_->targets, 1);
    sources_ = {source_};
  }

  LookResult look(const std::vector<Index>& looks) {
    LookScorer scorer(test::pool(), *plan_, order_);
    NetworkField field(test::pool(), sources_, input_.images, "noise", options_, scorer);
    return field.look(0, looks);
  }

  RankRequest request_;
  std::unique_ptr<RankPlan> plan_;
  std::vector<Index> order_;
  std::vector<NetworkSource> sources_;
};

// Looks see the images that files of all features would have shown them.
TEST_F(NetworkRace, SeesTheRowsOfTheRaceOrder) {
  const std::vector<Index> looks = {50, 100, 160};
  const LookResult found = look(looks);
  EXPECT_EQ(found.passes, 160);
  EXPECT_EQ(found.dim, kDim);
  const Matrix all = values(extract().outputs[0]);
  const std::vector<Index> rows = rows_of_look(order_, looks);
  LookScorer scorer(test::pool(), *plan_, order_);
  const Sighting expected =
      scorer.score("whole", rows_of_matrix(all(rows, Eigen::all), "whole"), looks);
  EXPECT_NEAR(found.sighting.value, expected.value, 1e-12);
  EXPECT_EQ(found.sighting.contributions.size(), 160U);
}

TEST_F(NetworkRace, PaysForNothingTwice) {
  EXPECT_EQ(look({50}).passes, 50);
  EXPECT_EQ(look({50, 100}).passes, 50);  // as after an interruption: another field, the same cache
  const Index images = calls_.images;
  EXPECT_EQ(look({50, 100}).passes, 0);
  EXPECT_EQ(calls_.images, images);
}

// Nothing is run to be timed: a thousand networks would cost a quarter of an hour.
TEST_F(NetworkRace, RunsNothingButTheImages) {
  look({40});
  EXPECT_EQ(calls_.images, 40);
}

TEST_F(NetworkRace, GoesOnAfterANetworkThatStopped) {
  calls_.stop_after = 60;
  EXPECT_EQ(look({50}).passes, 50);
  EXPECT_THROW(look({50, 100}), Error);
  calls_.stop_after = 10'000;
  EXPECT_EQ(look({50, 100}).passes, 50);
}

}  // namespace
}  // namespace assay
