#include "rank/rank_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/subsample.h"
#include "rank/rank_plan.h"
#include "support.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Labels with `rare` samples of the last class, and features of as many rows.
RankRequest request_with(Index rare) {
  std::vector<Label> labels;
  for (Index i = 0; i < 20; ++i) labels.push_back(static_cast<Label>(i % 2));
  for (Index i = 0; i < rare; ++i) labels.push_back(2);
  RankRequest request;
  request.hub.targets = test::class_targets(labels);
  request.hub.models = {{.name = "m",
                         .features = {},
                         .rows = rows_of_matrix(test::gaussian(std::ssize(labels), 3, 1), "m")}};
  request.memory_limit = Index{1} << 30;
  choose_metrics(request, "logme", "");
  return request;
}

std::vector<std::string> notes_of(const RankRequest& request, RankResult result = {}) {
  const RankPlan plan = plan_ranking(request);
  add_plan_notes(plan, result);
  add_notes(plan, result);
  return result.notes;
}

TEST(RankNotes, NameClassesOfFewerThanThreeSamples) {
  RankResult result;
  result.folds = 20;
  EXPECT_THAT(notes_of(request_with(2), result),
              ElementsAre(HasSubstr("1 of 3 classes have fewer than 3 samples")));
  EXPECT_THAT(notes_of(request_with(3), result), IsEmpty());
}

TEST(RankNotes, SayThatIntervalsOfFewFoldsMeanLittle) {
  RankResult result;
  result.folds = 4;
  EXPECT_THAT(notes_of(request_with(5), result), ElementsAre(HasSubstr("only 4 fold(s)")));
  RankRequest without = request_with(5);
  without.level = 0.0;
  EXPECT_THAT(notes_of(without, result), IsEmpty());
}

TEST(RankNotes, SayWhereDrawsAreNotWhatWasAskedFor) {
  RankRequest request = request_with(5);
  request.level = 0.0;
  request.subsample = Subsample{.rows = 8, .per_class = true, .draws = 3};
  RankResult result;
  result.draw_rows = 21;  // 8 + 8 + 5: one class has no more
  EXPECT_THAT(notes_of(request, result),
              ElementsAre(HasSubstr(
                  "draws hold 21 rows instead of 24, as some classes have fewer than 8")));
  result.draw_rows = 25;
  EXPECT_THAT(notes_of(request, result), ElementsAre(HasSubstr("every draw holds all 25 rows")));
  request.subsample = Subsample{.rows = 2, .per_class = false, .draws = 3};
  result.draw_rows = kFewestRows;
  EXPECT_THAT(notes_of(request, result), ElementsAre(HasSubstr("rows instead of 2; fewer than")));
}

TEST(RankNotes, NameTheMetricsThatDisagreeOnTheWinner) {
  RankResult result;
  result.metrics = {&find_metric("logme"), &find_metric("linear_valid")};
  result.consensus_metrics = result.metrics;
  for (const auto& [name, logme, error] : {std::tuple("a", 0.5, 0.3), std::tuple("b", 0.4, 0.1)}) {
    ScoredModel model{name, 100, 8, {}, {}};
    for (const Metric* metric : result.metrics) model.scores.push_back({.metric = metric});
    model.scores[0].score.value = logme;
    model.scores[1].score.value = error;  // lower is better
    result.models.push_back(model);
  }
  result.consensus = {1.5, 1.5};
  result.ranking.places = {{.candidate = 0}, {.candidate = 1}};
  add_disagreements(result);
  EXPECT_THAT(result.notes,
              ElementsAre("the metrics disagree on the winner, a: linear_valid puts b first"));
}

}  // namespace
}  // namespace assay
