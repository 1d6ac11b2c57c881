// Tests: curve/curve_table, curve/curve_blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::json_of;
using test::read_text;
using test::run_assay;
using test::write_text;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::string>;

class CurveMeasure : public testing::Test {
 protected:
  CurveMeasure() {
    write_text(curve_,
               "name,seed,samples,val_loss\n"
               "quick,0,10,1.0\nquick,0,100,0.5\nquick,0,1000,0.25\n"
               "slow_1,0,10,2.0\nslow_1,0,100,0.6\nslow_1,0,1000,0.9\n"
               "slow_1,1,10,2.0\nslow_1,1,100,0.4\nslow_1,1,1000,0.9\n");
  }

  CommandResult measure(const Words& options) const {
    Words words = {"curve", "measure", curve_.string()};
    words.insert(words.end(), options.begin(), options.end());
    return run_assay(words);
  }

  test::TemporaryDirectory folder_;
  std::filesystem::path curve_ = folder_ / "curves.csv";
};

// quick is the golden curve touch_eps: left SDL(0.5) = 10 (ln 10 - 0.5) + 90 * 0.5.
TEST_F(CurveMeasure, GivesTheJsonOfTheContract) {
  const json all = json_of(measure({"--classes", "10", "--epsilon", "0.5,0.1", "--json", "-"}));
  EXPECT_EQ(all.at("rule"), "left");
  EXPECT_EQ(all.at("loss"), "nll");
  const json quick = all.at("models").at(0);
  EXPECT_EQ(quick.at("name"), "quick");
  EXPECT_EQ(
      quick.at("curve").at(1),
      json({{"n", 100}, {"loss", 0.5}, {"loss_sd", nullptr}, {"accuracy", nullptr}, {"seeds", 1}}));
  EXPECT_EQ(quick.at("va"), 0.25);
  EXPECT_NEAR(quick.at("mi").get<double>(), std::log(10.0) - 0.25, 1e-14);
  EXPECT_NEAR(quick.at("mdl").get<double>(), 563.0258509299405, 1e-10);
  EXPECT_NEAR(quick.at("sdl")[0].at("value").get<double>(), 63.02585092994046, 1e-11);
  EXPECT_EQ(quick.at("sdl")[0].at("lower_bound"), false);
  EXPECT_EQ(quick.at("esc")[0].at("value"), 100);
  EXPECT_EQ(quick.at("esc")[1].at("epsilon"), 0.1);
  EXPECT_EQ(quick.at("esc")[1].at("value"), 1000);
  EXPECT_EQ(quick.at("esc")[1].at("lower_bound"), true);
  EXPECT_THAT(quick.at("flags"), IsEmpty());
  EXPECT_EQ(quick.at("measures").size(), 3U);
  EXPECT_EQ(all.at("provenance").at("inputs").size(), 1U);
}

TEST_F(CurveMeasure, AveragesSeedsAndFlagsARise) {
  const CommandResult result = measure({"--rule", "right", "--epsilon", "0.5", "--json", "-"});
  const json slow = json_of(result).at("models").at(1);
  EXPECT_DOUBLE_EQ(slow.at("curve")[1].at("loss"), 0.5);
  EXPECT_NEAR(slow.at("curve")[1].at("loss_sd").get<double>(), 0.2 / std::sqrt(2.0), 1e-15);
  EXPECT_EQ(slow.at("flags")[0], "non_monotone");
  EXPECT_EQ(slow.at("sdl")[0].at("lower_bound"), true);   // the last loss is above
  EXPECT_EQ(slow.at("esc")[0].at("lower_bound"), false);  // but it was reached
  EXPECT_THAT(result.err, HasSubstr("slow_1"));
}

TEST_F(CurveMeasure, NeedsTheClassesForTheLeftRuleOnly) {
  const CommandResult result = measure({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--classes"));
  EXPECT_EQ(measure({"--rule", "linear"}).exit_code, 0);
  EXPECT_THAT(measure({"--loss", "mse", "--classes", "3"}).err, HasSubstr("--chance"));
  EXPECT_EQ(measure({"--loss", "mse", "--chance", "2.5"}).exit_code, 0);
}

// 1 - 1/4 for the first ten rows, then 0.25.
TEST_F(CurveMeasure, KnowsChanceOfZeroOneLoss) {
  write_text(curve_, "name,seed,samples,val_loss\na,0,10,0.25\na,0,20,0.125\n");
  const json all = json_of(measure({"--loss", "zero-one", "--classes", "4", "--json", "-"}));
  EXPECT_DOUBLE_EQ(all.at("models")[0].at("mdl"), 10 * 0.75 + 10 * 0.25);
  EXPECT_TRUE(all.at("models")[0].at("mi").is_null());
}

TEST_F(CurveMeasure, PrintsTheBestFirstAndMarksBounds) {
  const std::string out = measure({"--classes", "10", "--epsilon", "0.3"}).out;
  EXPECT_THAT(out, HasSubstr("2 curves, 3 sizes up to 1,000 rows, 2 seeds"));
  EXPECT_LT(out.find("quick"), out.find("slow_1"));
  EXPECT_THAT(out, HasSubstr("> 1,000"));
  EXPECT_THAT(out, HasSubstr("non_monotone"));
}

TEST_F(CurveMeasure, ShowsThePapersTableAtOtherSizes) {
  const std::string out = measure({"--rule", "right", "--epsilon", "0.5", "--at", "60,20000"}).out;
  EXPECT_THAT(out, HasSubstr("20,000  n"));  // the largest there is
  EXPECT_THAT(out, HasSubstr("SDL, ε=0.5"));
  EXPECT_THAT(out, HasSubstr("εSC, ε=0.5"));
}

TEST_F(CurveMeasure, WritesCsvAndLatex) {
  const auto csv = folder_ / "m.csv";
  const auto tex = folder_ / "m.tex";
  EXPECT_EQ(measure({"--rule", "right", "--epsilon", "0.5", "--csv", csv.string(), "--latex",
                     tex.string()})
                .exit_code,
            0);
  EXPECT_THAT(read_text(csv),
              HasSubstr("name,n,loss,loss_sd,accuracy,mi,mdl,mdl_sd,sdl_0.5,sdl_0.5_lower_bound,"
                        "esc_0.5,esc_0.5_lower_bound\nquick,10,1,,,,10,,5,true,10,true\n"
                        "quick,100,0.5,,,,55,,5,false,100,false\n"));
  EXPECT_EQ(read_text(tex),
            "\\begin{tabular}{llrr}\n\\toprule\n &  & quick & slow\\_1 \\\\\n\\midrule\n"
            "1000 & n & 1,000 & 1,000 \\\\\n"
            " & Val loss & 0.2500 & 0.9000 \\\\\n"
            " & MDL & 280.0 & 875.0 \\\\\n"
            " & SDL, $\\varepsilon$=0.5 & 5.0000 & $>$ 375.0 \\\\\n"
            " & $\\varepsilon$SC, $\\varepsilon$=0.5 & 100 & 100 \\\\\n"
            "\\bottomrule\n\\end{tabular}\n");
}

TEST_F(CurveMeasure, TakesTheToleranceOfAnotherResult) {
  const auto other = folder_ / "big.json";
  EXPECT_EQ(measure({"--rule", "right", "--json", other.string()}).exit_code, 0);
  const json all =
      json_of(measure({"--rule", "right", "--epsilon", "from:" + other.string(), "--json", "-"}));
  EXPECT_EQ(all.at("epsilon"), json({0.25}));
}

TEST_F(CurveMeasure, RefusesWhatItCannotUse) {
  for (const Words& words : {Words{"--rule", "middle"}, Words{"--classes", "1"},
                             Words{"--classes", "10", "--epsilon", "-1"},
                             Words{"--classes", "10", "--at", "0"}, Words{"--chance", "nan"}}) {
    const CommandResult result = measure(words);
    EXPECT_EQ(result.exit_code, 2) << words.back();
    EXPECT_THAT(result.out, IsEmpty());
  }
  EXPECT_EQ(run_assay({"curve", "measure", "nowhere.csv", "--rule", "right"}).exit_code, 2);
  EXPECT_EQ(run_assay({"curve"}).exit_code, 2);
}

}  // namespace
}  // namespace assay
