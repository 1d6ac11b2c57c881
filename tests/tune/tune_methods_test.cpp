#include "tune/tune_methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(TuneMethods, HaveTheirOwnLambdaWhereTheyHaveTeachers) {
  EXPECT_EQ(default_lambda(TuneMethod::b_tuning), 100.0);  // the authors' code
  EXPECT_EQ(default_lambda(TuneMethod::finetune), 0.0);
  EXPECT_FALSE(has_teachers(TuneMethod::finetune));
  EXPECT_TRUE(has_teachers(TuneMethod::prior));
}

TuneResult two_methods(std::optional<double> p) {
  TuneResult result;
  result.dataset = "flowers";
  result.target = "net";
  TuneSummary plain{TuneMethod::finetune, "", {0.7, 0.72}, 0.71, 0.014, {}, 1.0};
  TuneSummary taught{TuneMethod::b_tuning, "top-3", {0.8, 0.82}, 0.81, 0.014, {}, 2.0};
  taught.against_finetune = PairedTest{2, 0.1, 0.01, p};
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
  errors.classes = false;  // lower is better
  EXPECT_THAT(tune_verdict(errors),
              testing::StartsWith("finetune gives net its best test mean squared error"));
  EXPECT_EQ(tune_verdict({}), "");
}

TEST(TuneReport, HasARowAndAnEntryPerMethod) {
  const TuneResult result = two_methods(0.01);
  const std::string table = tune_table(result, {});
  EXPECT_THAT(table, HasSubstr("finetune"));
  EXPECT_THAT(table, HasSubstr("top-3"));
  const nlohmann::ordered_json shown = tune_json(result);
  EXPECT_EQ(shown["command"], "tune");
  EXPECT_EQ(shown["quantity"], "accuracy");
  ASSERT_EQ(shown["summary"].size(), 2U);
  EXPECT_EQ(shown["summary"][1]["method"], "b-tuning");
  EXPECT_EQ(shown["summary"][1]["mean"], 0.81);
}

}  // namespace
}  // namespace assay
