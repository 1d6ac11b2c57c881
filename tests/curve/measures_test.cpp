// Tests: curve/loss_curve.
#include "curve/measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support.h"

namespace assay {
namespace {

using nlohmann::json;

// Seven curves with their measures from an independent program (ten classes), see
// tests/golden/README.md.
json golden_measures() { return json::parse(std::ifstream(test::golden("curve/measures.json"))); }

LossCurve curve_of(const std::string& name, const json& entry) {
  LossCurve curve{name, {}};
  for (std::size_t seed = 0; seed < entry["seeds"].size(); ++seed) {
    for (std::size_t k = 0; k < entry["n"].size(); ++k) {
      curve.runs.push_back(
          {.seed = static_cast<Index>(seed), .n = entry["n"][k], .loss = entry["seeds"][seed][k]});
    }
  }
  return curve;
}

LossCurve curve_of(const std::vector<std::pair<Index, double>>& points, Index seed = 0) {
  LossCurve curve{"c", {}};
  for (const auto& [n, loss] : points) curve.runs.push_back({.seed = seed, .n = n, .loss = loss});
  return curve;
}

MeasureOptions options_for(Rule rule, std::vector<double> epsilons) {
  return {.rule = rule, .chance = std::log(10.0), .epsilons = std::move(epsilons)};
}

void expect_close(double value, double expected) {
  EXPECT_NEAR(value, expected, 1e-12 * std::max(1.0, std::abs(expected)));
}

class GoldenCurve : public testing::TestWithParam<std::string> {
 protected:
  json all_ = golden_measures();
  json entry_ = all_["curves"][GetParam()];
  LossCurve curve_ = curve_of(GetParam(), entry_);
};

TEST_P(GoldenCurve, HasTheAreasOfEveryRule) {
  for (const char* rule : {"left", "right", "linear"}) {
    for (const auto& [epsilon, expected] : entry_["at_end"].items()) {
      const MeasuredCurve measured =
          measure_curve(curve_, options_for(rule_named(rule), {std::stod(epsilon)}));
      expect_close(measured.at.back().sdl.front().value, expected[rule]);
      EXPECT_EQ(measured.at.back().sdl.front().lower_bound,
                !expected["reaches_at_the_end"].get<bool>())
          << epsilon;
    }
  }
}

TEST_P(GoldenCurve, HasTheSampleComplexityAndItsBound) {
  for (const auto& [epsilon, expected] : entry_["at_end"].items()) {
    const ToleranceMeasure esc =
        measure_curve(curve_, options_for(Rule::left, {std::stod(epsilon)})).at.back().esc.front();
    EXPECT_EQ(esc.lower_bound, expected["esc"].is_null());
    EXPECT_EQ(esc.value, expected["esc"].is_null() ? entry_["n"].back().get<double>()
                                                   : expected["esc"].get<double>());
  }
}

// What the public code prints at every size: the right rule.
TEST_P(GoldenCurve, AgreesAtEverySize) {
  for (const auto& [epsilon, areas] : entry_["right_by_n"].items()) {
    const MeasuredCurve measured =
        measure_curve(curve_, options_for(Rule::right, {std::stod(epsilon)}));
    ASSERT_EQ(measured.at.size(), areas.size());
    for (std::size_t k = 0; k < areas.size(); ++k)
      expect_close(measured.at[k].sdl.front().value, areas[k]);
    if (!entry_["esc_by_n"].contains(epsilon)) continue;
    for (std::size_t k = 0; k < areas.size(); ++k) {
      const json& expected = entry_["esc_by_n"][epsilon][k];
      const ToleranceMeasure& esc = measured.at[k].esc.front();
      EXPECT_EQ(esc.lower_bound, expected.is_null());
      EXPECT_EQ(esc.value, expected.is_null() ? static_cast<double>(measured.at[k].n)
                                              : expected.get<double>());
    }
  }
}

TEST_P(GoldenCurve, HasASurplusAtZeroThatIsTheDescriptionLength) {
  for (const Rule rule : {Rule::left, Rule::right, Rule::linear}) {
    for (const Measures& at : measure_curve(curve_, options_for(rule, {0.0})).at)
      EXPECT_EQ(at.sdl.front().value, at.mdl);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixed, GoldenCurve,
                         testing::Values("mono", "nonmono", "never", "immediate", "single",
                                         "touch_eps", "above_logC_first"));

TEST(Measures, FlagRisingCurvesOnly) {
  const json all = golden_measures();
  for (const auto& [name, entry] : all["curves"].items()) {
    EXPECT_EQ(measure_curve(curve_of(name, entry), options_for(Rule::left, {})).monotone,
              name != "nonmono");
  }
}

// The paper's point: once epsilon is reached, more data change neither SDL nor the sample
// complexity, while VA and MDL go on changing.
TEST(Measures, StayWhenDataAreAddedBeyondTheSampleComplexity) {
  const json mono = golden_measures()["curves"]["mono"];
  for (const Rule rule : {Rule::left, Rule::right, Rule::linear}) {
    const MeasuredCurve measured = measure_curve(curve_of("mono", mono), options_for(rule, {0.5}));
    const Measures& reached = measured.at[4];  // n = 456, loss 0.42
    ASSERT_FALSE(reached.sdl.front().lower_bound);
    for (std::size_t k = 5; k < measured.at.size(); ++k) {
      EXPECT_EQ(measured.at[k].sdl.front().value, reached.sdl.front().value);
      EXPECT_EQ(measured.at[k].esc.front().value, reached.esc.front().value);
      EXPECT_NE(measured.at[k].va, reached.va);
      EXPECT_GT(measured.at[k].mdl, reached.mdl);
    }
  }
}

// By hand: seeds (1.0, 0.4) and (0.6, 0.2) at 10 and 30 rows, chance 2. Left: MDL of a seed is
// 10 * 2 + 20 * L(10) = 40 and 32, mean 36, sd 8 / sqrt 2. Tolerance 0.3: only the second seed
// gets there, the mean curve does at 30.
TEST(Measures, CarryTheSpreadOfSeeds) {
  LossCurve curve = curve_of({{10, 1.0}, {30, 0.4}}, 7);
  for (const ProbeRun& run : curve_of({{30, 0.2}, {10, 0.6}}, 9).runs) curve.runs.push_back(run);
  const Measures last =
      measure_curve(curve, {.rule = Rule::left, .chance = 2.0, .epsilons = {0.31, 0.7}}).at.back();
  EXPECT_DOUBLE_EQ(last.va, 0.3);
  EXPECT_NEAR(last.va_sd.value(), 0.2 / std::sqrt(2.0), 1e-15);
  EXPECT_DOUBLE_EQ(last.mdl, 36.0);
  EXPECT_NEAR(last.mdl_sd.value(), 8.0 / std::sqrt(2.0), 1e-13);
  EXPECT_EQ(last.esc[0].value, 30.0);
  EXPECT_FALSE(last.esc[0].sd.has_value());
  EXPECT_EQ(last.esc[1].value, 30.0);
  EXPECT_NEAR(last.esc[1].sd.value(), 20.0 / std::sqrt(2.0), 1e-13);
}

TEST(Measures, LeaveSeedsThatMissASizeOutOfTheSpread) {
  LossCurve curve = curve_of({{10, 1.0}, {30, 0.4}}, 1);
  curve.runs.push_back({.seed = 2, .n = 10, .loss = 0.5});
  const MeasuredCurve measured = measure_curve(curve, options_for(Rule::right, {}));
  EXPECT_TRUE(measured.at[0].mdl_sd.has_value());
  EXPECT_FALSE(measured.at[1].mdl_sd.has_value());
  EXPECT_DOUBLE_EQ(measured.points[0].loss, 0.75);
}

TEST(Measures, GiveMutualInformationFromTheEntropyOfTheLabels) {
  MeasureOptions options = options_for(Rule::right, {});
  EXPECT_FALSE(measure_curve(curve_of({{10, 0.5}}), options).at.back().mi.has_value());
  options.label_entropy = 0.9;
  EXPECT_DOUBLE_EQ(measure_curve(curve_of({{10, 0.5}}), options).at.back().mi.value(), 0.4);
}

// Voita and Titov's online code is the left rule: blocks coded by the model of the rows before.
// 3391.0258509299406 from an independent program (ten classes, the first ten rows at chance).
TEST(Measures, LeftRuleIsTheOnlineCodeLength) {
  const LossCurve curve = curve_of({{10, 2.0},
                                    {20, 1.7},
                                    {40, 1.4},
                                    {80, 1.1},
                                    {160, 0.9},
                                    {320, 0.7},
                                    {625, 0.5},
                                    {1250, 0.4},
                                    {2500, 0.3},
                                    {5000, 0.25},
                                    {10000, 0.1}});
  expect_close(measure_curve(curve, options_for(Rule::left, {})).at.back().mdl, 3391.0258509299406);
}

TEST(Measures, ChanceIsOfTheLoss) {
  EXPECT_DOUBLE_EQ(chance_level(LossKind::nll, 10), std::log(10.0));
  EXPECT_DOUBLE_EQ(chance_level(LossKind::zero_one, 4), 0.75);
}

TEST(Measures, RefuseUnknownNames) {
  EXPECT_NE(test::error_of([] { rule_named("middle"); }).find("left, right or linear"),
            std::string::npos);
  EXPECT_NE(test::error_of([] { loss_named("hinge"); }).find("zero-one"), std::string::npos);
}

}  // namespace
}  // namespace assay
