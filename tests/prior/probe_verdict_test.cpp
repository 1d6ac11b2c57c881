#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prior/prior_report.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

ProbedModel probed(const std::string& name, std::initializer_list<double> accuracy) {
  ProbedModel model;
  model.name = name;
  model.accuracy.resize(static_cast<Index>(accuracy.size()));
  std::copy(accuracy.begin(), accuracy.end(), model.accuracy.begin());
  return model;
}

ProbeTasksResult probed_result(std::vector<ProbedModel> models, double chance = 0.3) {
  ProbeTasksResult result;
  result.tasks = models.front().accuracy.size();
  result.chance = chance;
  result.models = std::move(models);
  return result;
}

// Means 0.7 and 0.65; the differences 0.05 +- 0.01 vary little though the tasks vary much.
TEST(ProbeVerdict, ComparesModelsTaskByTask) {
  const ProbeTasksResult result =
      probed_result({probed("b", {0.44, 0.64, 0.86, 0.65}), probed("a", {0.5, 0.7, 0.9, 0.7})});
  EXPECT_THAT(not_separable_from_best_probe(result), IsEmpty());
  EXPECT_THAT(
      probed_tasks_verdict(result),
      StartsWith("a does best over 4 sampled tasks: a mean held-out accuracy of 0.7000 ± "));
}

TEST(ProbeVerdict, OfModelsThatTakeTurnsCallsNoneTheBest) {
  const ProbeTasksResult result =
      probed_result({probed("a", {0.9, 0.5, 0.9, 0.5}), probed("b", {0.5, 0.9, 0.5, 0.8})});
  EXPECT_THAT(not_separable_from_best_probe(result), ElementsAre("b"));
  EXPECT_THAT(probed_tasks_verdict(result), HasSubstr("is not separable from b"));
  EXPECT_THAT(probed_tasks_verdict(result), Not(HasSubstr("does best")));
}

TEST(ProbeVerdict, SaysWhenNoModelBeatsGuessing) {
  EXPECT_THAT(probed_tasks_verdict(probed_result({probed("a", {0.29, 0.31, 0.33, 0.3})})),
              HasSubstr("No model is shown to beat guessing: always naming the commonest class "
                        "gives 0.3000"));
  EXPECT_THAT(probed_tasks_verdict(probed_result({probed("a", {0.9, 0.91, 0.93, 0.9})})),
              Not(HasSubstr("No model is shown")));
}

TEST(ProbeVerdict, OfOneTaskKnowsNoDifference) {
  const ProbeTasksResult result = probed_result({probed("a", {0.9}), probed("b", {0.1})});
  EXPECT_THAT(not_separable_from_best_probe(result), ElementsAre("b"));
  EXPECT_THAT(probed_tasks_verdict(result), HasSubstr("No model is shown to beat guessing"));
}

}  // namespace
}  // namespace assay
