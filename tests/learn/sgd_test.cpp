// Tests: learn/losses.
#include "learn/sgd.h"

#include <gtest/gtest.h>

#include "golden_json.h"
#include "learn/rate_schedule.h"

namespace assay {
namespace {

using test::error_of;
using test::golden_json;

// The gradient of p' diag(1..4) p / 2 - sum p.
std::vector<float> slope(const std::vector<float>& p) {
  std::vector<float> out;
  for (std::size_t i = 0; i < p.size(); ++i) out.push_back(static_cast<float>(i + 1) * p[i] - 1.0F);
  return out;
}

TEST(Sgd, FollowsPyTorch) {
  const nlohmann::json expected = golden_json("tune/sgd.json");
  for (const bool nesterov : {true, false}) {
    Sgd sgd(4, {.momentum = 0.9, .nesterov = nesterov, .weight_decay = 0.01});
    std::vector<float> p = {1.0F, -2.0F, 0.5F, 3.0F};
    const std::vector<SgdRange> all = {{0, 4}};
    for (const auto& point : expected.at(nesterov ? "nesterov" : "plain")) {
      sgd.step(p, slope(p), 0.05, all);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(p[i], point.at(i).get<double>(), 1e-6);
    }
  }
}

TEST(Sgd, RangesHaveTheirOwnRatesAndDecaysAndOthersStay) {
  // One step from rest is p - rate factor (1 + momentum) (g + decay factor * decay p).
  Sgd sgd(3, {.momentum = 0.5, .nesterov = true, .weight_decay = 0.25});
  std::vector<float> p = {4.0F, 4.0F, 4.0F};
  const std::vector<float> g = {1.0F, 1.0F, 1.0F};
  const std::vector<SgdRange> ranges = {{0, 1, 1.0, 1.0}, {1, 2, 10.0, 0.0}};
  sgd.step(p, g, 0.125, ranges);
  EXPECT_FLOAT_EQ(p[0], 4.0F - 0.125F * 1.5F * 2.0F);
  EXPECT_FLOAT_EQ(p[1], 4.0F - 1.25F * 1.5F * 1.0F);
  EXPECT_EQ(p[2], 4.0F);
}

TEST(RateSchedule, FollowsPyTorch) {
  const nlohmann::json expected = golden_json("tune/sgd.json");
  for (const RateSchedule schedule : {RateSchedule::cosine, RateSchedule::step}) {
    const auto rates = expected.at(schedule_name(schedule)).get<std::vector<double>>();
    ASSERT_EQ(rates.size(), 9U);
    for (Index epoch = 0; epoch < 9; ++epoch)
      EXPECT_NEAR(rate_factor(schedule, epoch, 9), rates[static_cast<std::size_t>(epoch)], 1e-12);
  }
  EXPECT_EQ(rate_factor(RateSchedule::constant, 8, 9), 1.0);
}

TEST(RateSchedule, OthersAreRefusedByName) {
  EXPECT_EQ(parse_schedule("cosine"), RateSchedule::cosine);
  EXPECT_NE(error_of([] { parse_schedule("cosinus"); }).find("'cosinus'"), std::string::npos);
}

}  // namespace
}  // namespace assay
