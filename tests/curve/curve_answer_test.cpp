#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curve/curve_report.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CurveResult asked(std::vector<std::pair<std::string, LabelsNeeded>> models) {
  CurveResult result;
  result.curves.loss = LossKind::nll;
  result.target_loss = 0.5;
  for (auto& [name, needed] : models) {
    CurveModel model{.name = name, .dim = 4, .curve = {}};
    model.for_loss = needed;
    result.models.push_back(model);
  }
  return result;
}

TEST(CurveAnswer, NamesTheModelThatNeedsTheFewestLabelsAndTheRunnerUp) {
  EXPECT_EQ(
      curve_answer(asked({{"slow", {.rows = 4321.0}},
                          {"fast", {.rows = 123.4, .low = 98.0, .high = 161.0}},
                          {"never", {.rows = 90.0, .lower_bound = true}}})),
      "fast needs about 120 labels [98-160] to reach a loss of 0.5 nats; the runner-up, slow, "
      "needs 4,300.");
}

TEST(CurveAnswer, SaysWhereTheDataEnd) {
  EXPECT_EQ(curve_answer(asked({{"a", {.rows = 900.0, .lower_bound = true}}})),
            "No model reaches a loss of 0.5 nats with the 900 labels there are.");
  EXPECT_EQ(
      curve_answer(asked({{"a", {.rows = 10.0, .upper_bound = true}},
                          {"b", {.rows = 900.0, .lower_bound = true}}})),
      "a needs 10 labels or fewer to reach a loss of 0.5 nats; no other model does with 900.");
  EXPECT_EQ(curve_answer(
                asked({{"a", {.rows = 40.0, .low = 31.0, .high = 900.0, .high_is_bound = true}}})),
            "a needs about 40 labels [31 to more than 900] to reach a loss of 0.5 nats.");
}

// A width of nothing is not shown, and labels that judge are counted too.
TEST(CurveAnswer, CountsTheLabelsThatJudge) {
  EXPECT_EQ(curve_answer(asked(
                {{"a", {.rows = 800.0, .low = 800.0, .high = 800.4, .with_validation = 1000.0}}})),
            "a needs about 800 labels to reach a loss of 0.5 nats, 1,000 with those that judge.");
}

TEST(CurveAnswer, SaysWhatIsExtrapolatedAndWhatIsOutOfReach) {
  CurveResult result = asked({{"a",
                               {.rows = 720.0,
                                .low = 400.0,
                                .high = 2400.0,
                                .high_is_bound = true,
                                .reach = Reach::extrapolated}}});
  result.train_rows = 240;
  EXPECT_EQ(curve_answer(result),
            "a needs about 720 labels [400 to more than 2,400] to reach a loss of 0.5 nats "
            "(extrapolated: measured up to 240).");
  result = asked({{"a",
                   {.rows = 240.0,
                    .lower_bound = true,
                    .low = 2400.0,
                    .high = 2400.0,
                    .reach = Reach::far,
                    .levels_off = 0.52,
                    .levels_off_range = Range{0.3, 0.6}}}});
  EXPECT_EQ(curve_answer(result),
            "No model reaches a loss of 0.5 nats with the 240 labels there are; more than 2,400 "
            "are expected to be needed.");
  result.models[0].for_loss->reach = Reach::not_reachable;
  EXPECT_EQ(curve_answer(result),
            "No model reaches a loss of 0.5 nats with the 240 labels there are, nor is any "
            "expected to: a levels off at 0.52 [0.3-0.6].");
}

TEST(CurveAnswer, SaysWhenFewerMayBeChance) {
  CurveResult result = asked({{"a", {.rows = 100.0}}, {"b", {.rows = 120.0}}});
  result.needs_fewer = {{.first = "a", .second = "b", .share = 0.8}};
  EXPECT_EQ(curve_answer(result),
            "a needs about 100 labels to reach a loss of 0.5 nats; the runner-up, b, needs 120, "
            "which may be chance (fewer for the first in 80 % of resamples).");
  result.needs_fewer[0].share = 0.99;
  EXPECT_THAT(curve_answer(result), HasSubstr("b, needs 120."));
}

TEST(CurveAnswer, HasASentenceForEachTarget) {
  CurveResult result = asked({{"a", {.rows = 40.0}}});
  result.curves.loss = LossKind::zero_one;
  result.target_accuracy = 0.9;
  result.models[0].for_accuracy = LabelsNeeded{.rows = 55.0};
  EXPECT_EQ(
      curve_answer(result),
      "a needs about 40 labels to reach an error rate of 0.5. a needs about 55 labels to reach an "
      "accuracy of 0.9.");
  EXPECT_EQ(curve_answer({}), "");
}

TEST(CertificateText, SaysWhatIsGuaranteedOrWhyNothingIs) {
  CurveResult result;
  CurveModel model{.name = "m", .dim = 4, .curve = {}};
  CurveCertificate sound{.epsilon = 0.5, .delta = 0.1, .most_rows = 99, .blocks = 20};
  sound.surplus.tight = false;
  sound.complexity = {.rows = 64, .reached = true};
  CurveCertificate refused{.epsilon = 0.1, .delta = 0.1};
  refused.refused = "too few rows";
  model.certificates = {sound, refused};
  result.models = {model};
  const std::string text = certificate_text(result);
  EXPECT_THAT(text, HasSubstr("m, ε = 0.5, δ = 0.1, of the loss cut off at 1: SDL at least "));
  EXPECT_THAT(text, HasSubstr("20 draws of 99 + 1 rows); 64 rows suffice for ε (Algorithm 2, "
                              "tested against ε/2 = 0.25)"));
  EXPECT_THAT(text, HasSubstr("of the loss cut off at 1: no certificate: too few rows\n"));
}

TEST(CurveNotes, TellOfJournalsAndOfProbesThatDidNotConverge) {
  CurveResult result;
  EXPECT_THAT(curve_notes(result), IsEmpty());
  result.journal_problem = "disk full";
  result.probes = 1200;
  result.resumed = 1000;
  result.models = {{.name = "m", .dim = 4, .curve = {}}};
  result.models[0].not_converged = 3;
  EXPECT_THAT(curve_notes(result),
              ElementsAre("disk full",
                          "1,000 of 1,200 probes were taken from the journal of an earlier run",
                          HasSubstr("m: 3 of the probes did not converge; raise `l2`")));
}

}  // namespace
}  // namespace assay
