// Tests: tune/lambda_choice.
#include "tune/tune_methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "support.h"
#include "tune/tune_report.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TuneMethods, AreReadByNameOnceEach) {
  EXPECT_THAT(parse_methods("zoo,b-tuning,zoo"),
              ElementsAre(TuneMethod::zoo, TuneMethod::b_tuning));
  EXPECT_EQ(parse_methods("all").size(), 5U);
  for (const TuneMethod method : parse_methods("all"))
    EXPECT_THAT(parse_methods(method_name(method)), ElementsAre(method));
  EXPECT_THAT(test::error_of([] { parse_methods("magic"); }), HasSubstr("'magic' is no method"));
}

TEST(TuneMethods, HaveTeachersButFineTuning) {
  EXPECT_FALSE(has_teachers(TuneMethod::finetune));
  EXPECT_TRUE(has_teachers(TuneMethod::prior));
}

TEST(LambdaChoice, IsReadForOneMethodOrAll) {
  const std::vector<LambdaChoice> found = parse_lambdas("auto,3,b-tuning:10,distill:auto");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_FALSE(found[0].value);
  EXPECT_FALSE(found[0].method);
  EXPECT_EQ(found[1].value, 3.0);
  EXPECT_EQ(found[2].method, TuneMethod::b_tuning);
  EXPECT_EQ(found[2].value, 10.0);
  EXPECT_EQ(found[3].method, TuneMethod::distill);
  EXPECT_FALSE(found[3].value);
  for (const char* wrong : {"-1", "much", "magic:1", "b-tuning:", "1x", "nan", "inf"})
    EXPECT_THROW(parse_lambdas(wrong), Error) << wrong;
}

TuneResult two_methods(std::optional<double> p) {
  TuneResult result;
  result.dataset = "flowers";
  result.target = "net";
  const TuneSummary plain{.method = TuneMethod::finetune,
                          .values = {0.7, 0.72},
                          .mean = 0.71,
                          .sd = 0.014,
                          .standard_error = 0.01};
  TuneSummary taught{.method = TuneMethod::b_tuning,
                     .teachers = "top-3",
                     .values = {0.8, 0.82},
                     .mean = 0.81,
                     .sd = 0.014,
                     .standard_error = 0.01,
                     .lambda = 12.5,
                     .ratio = 0.3};
  taught.against_finetune = PairedTest{2, 0.1, 0.01, p, 0.0101, 0.1899};
  result.summaries = {plain, taught};
  return result;
}

TEST(TuneVerdict, NamesTheBestMethodAndHowSureThatIs) {
  EXPECT_THAT(
      tune_verdict(two_methods(0.01)),
      testing::AllOf(testing::StartsWith("b-tuning with top-3 gives net its best test accuracy: "),
                     HasSubstr("paired test over 2 seeds"), testing::Not(HasSubstr("chance"))));
  EXPECT_THAT(tune_verdict(two_methods(0.2)), HasSubstr("may be chance"));
  EXPECT_THAT(tune_verdict(two_methods({})), HasSubstr("one seed: no test"));
  TuneResult errors = two_methods(0.01);
  errors.kind = TargetKind::regression;  // lower is better
  EXPECT_THAT(tune_verdict(errors),
              testing::StartsWith("finetune gives net its best test mean squared error"));
  EXPECT_EQ(tune_verdict({}), "");
  TuneResult nothing = two_methods(0.01);
  EXPECT_THAT(tune_verdict(nothing), testing::Not(HasSubstr("r = 0")));
  nothing.summaries[1].ratio = 0.0;
  EXPECT_THAT(tune_verdict(nothing), HasSubstr("For b-tuning with top-3 the search took r = 0"));
}

TEST(TuneReport, HasARowAndAnEntryPerMethod) {
  const TuneResult result = two_methods(0.01);
  const std::string table = tune_table(result, {});
  EXPECT_THAT(table, HasSubstr("finetune"));
  EXPECT_THAT(table, HasSubstr("top-3"));
  EXPECT_THAT(table, HasSubstr("12.5 (r 0.3)"));
  EXPECT_THAT(table, HasSubstr("+0.0101 to +0.1899"));
  EXPECT_THAT(table, HasSubstr("0.8100 ±0.0100"));
  const nlohmann::ordered_json shown = tune_json(result);
  EXPECT_EQ(shown["command"], "tune");
  EXPECT_EQ(shown["quantity"], "accuracy");
  ASSERT_EQ(shown["summary"].size(), 2U);
  EXPECT_EQ(shown["summary"][1]["method"], "b-tuning");
  EXPECT_EQ(shown["summary"][1]["mean"], 0.81);
  EXPECT_EQ(shown["summary"][1]["r"], 0.3);
  EXPECT_EQ(shown["summary"][1]["against_finetune"]["low"], 0.0101);
  TuneResult several = result;
  several.kind = TargetKind::multi_label;
  EXPECT_EQ(tune_json(several)["quantity"], "average_precision");
}

}  // namespace
}  // namespace assay
