#include "evaluate/evaluate_datasets_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/text.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Values = std::map<std::string, double>;

ComparedDataset dataset(const std::string& name, const Values& scores, const Values& truth,
                        const std::string& group = "") {
  ComparedDataset result{.name = name,
                         .scores = {{.name = "logme", .values = scores}},
                         .truth = {.column = "accuracy", .values = truth, .baselines = {}}};
  if (!group.empty()) {
    for (const auto& [model, value] : truth) result.groups[model] = {.text = group};
  }
  return result;
}

// tau 1 and -1.
std::vector<ComparedDataset> two(const std::string& first_group = "",
                                 const std::string& second_group = "") {
  return {dataset("pets", {{"a", 1}, {"b", 2}}, {{"a", 70}, {"b", 80}}, first_group),
          dataset("cars", {{"a", 1}, {"b", 2}}, {{"a", 50}, {"b", 40}}, second_group)};
}

EvaluationReport report(std::vector<ComparedDataset> datasets, const std::string& group = "") {
  EvaluationReport result{.truth_column = "accuracy",
                          .group_column = group,
                          .comparison = {},
                          .result = evaluate_many(datasets)};
  result.comparison.datasets = std::move(datasets);
  return result;
}

TEST(EvaluationText, OfOneDataSetIsItsTable) {
  const std::string text = evaluation_text(report({two()[0]}));
  EXPECT_THAT(text, testing::StartsWith("metric"));
  EXPECT_THAT(text, HasSubstr("yes"));
  EXPECT_THAT(text, Not(HasSubstr("data set")));
}

TEST(EvaluationText, OfSeveralShowsTheMeanAndEveryDataSet) {
  const std::string text = evaluation_text(report(two()));
  EXPECT_THAT(text, testing::StartsWith("mean over 2 data sets\n"));
  EXPECT_THAT(text, HasSubstr("50 %"));    // top-1
  EXPECT_THAT(text, HasSubstr("5.0000"));  // regret 0 and 10
  EXPECT_THAT(text, HasSubstr("\npets             1.000       2\n"));
  EXPECT_THAT(text, HasSubstr("\ncars            -1.000       2\n"));
}

TEST(EvaluationText, HasAnAlignedTablePerGroup) {
  const std::string text = evaluation_text(report(two("animals", "vehicles"), "kind"));
  EXPECT_THAT(text, HasSubstr("\nkind = animals: 2 models of 1 data set\nmetric"));
  EXPECT_THAT(text, HasSubstr("\nkind = vehicles: 2 models of 1 data set\nmetric"));
  // Rows of the mean and of both groups end in the same column.
  std::istringstream lines(text);
  std::vector<Index> widths;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("logme")) widths.push_back(display_width(line));
  }
  ASSERT_EQ(widths.size(), 3U);
  EXPECT_EQ(widths[0], widths[1]);
  EXPECT_EQ(widths[1], widths[2]);
}

TEST(EvaluationJson, OfOneDataSetKeepsTheContract) {
  const auto json = evaluation_json(report({two()[0]}));
  EXPECT_EQ(json.at("metrics").at("logme").at("top1"), true);
  EXPECT_EQ(json.at("datasets").at("pets").at("metrics"), json.at("metrics"));
  EXPECT_FALSE(json.contains("groups"));
}

TEST(EvaluationJson, OfSeveralHasAveragesAndEveryDataSet) {
  const auto json = evaluation_json(report(two()));
  const auto& mean = json.at("metrics").at("logme");
  EXPECT_EQ(mean.at("kendall"), 0.0);
  EXPECT_EQ(mean.at("agreement"), 0.5);
  EXPECT_TRUE(mean.at("top1").is_number());
  EXPECT_EQ(mean.at("top1"), 0.5);
  EXPECT_EQ(mean.at("regret1"), 5.0);
  EXPECT_EQ(mean.at("models"), 4);
  EXPECT_EQ(mean.at("datasets"), 2);
  EXPECT_EQ(json.at("datasets").at("pets").at("metrics").at("logme").at("top1"), true);
  EXPECT_EQ(json.at("datasets").at("cars").at("metrics").at("logme").at("kendall"), -1.0);
}

TEST(EvaluationJson, HasTheGroups) {
  const auto json = evaluation_json(report(two("animals", "vehicles"), "kind"));
  const auto& group = json.at("groups").at("vehicles");
  EXPECT_EQ(group.at("metrics").at("logme").at("kendall"), -1.0);
  EXPECT_EQ(group.at("metrics").at("logme").at("top1"), 0.0);
  EXPECT_EQ(group.at("datasets"), nlohmann::ordered_json::array({"cars"}));
  EXPECT_EQ(group.at("models"), 2);
  EXPECT_EQ(json.at("group_column"), "kind");
  EXPECT_TRUE(json.at("groups_skipped").empty());
}

TEST(EvaluationNotes, SayWhatWasLeftOut) {
  EXPECT_THAT(evaluation_notes(report(two())), IsEmpty());
  auto datasets = two();
  datasets[0].scores[0].values["x"] = 1;
  datasets[1].truth.values["y"] = 1;
  datasets[1].scores.push_back({.name = "knn", .values = {{"a", 1}}});
  EvaluationReport gaps = report(datasets);
  gaps.comparison.only_in_truth = {"planes"};
  EXPECT_THAT(evaluation_notes(gaps),
              ElementsAre("no scores for data set planes; left out",
                          "pets: no truth for x; left out", "cars: no scores for y; left out",
                          "knn has no value for cars/b; left out of its row",
                          "knn: correlations exist on 0 of 2 data sets, the means are over those; "
                          "compare rows with equal counts"));
}

TEST(EvaluationNotes, SayWhichGroupsAreTooSmall) {
  auto datasets = two("x", "x");
  datasets[0].groups["b"] = {.text = "y"};
  datasets[1].groups.erase("b");
  EXPECT_THAT(evaluation_notes(report(datasets, "family")),
              ElementsAre("groups by family: fewer than 3 models to compare in x of pets (1), y of "
                          "pets (1), x of cars (1); left out",
                          "groups by family: blank for cars/b; left out",
                          "groups by family: none is left"));
}

TEST(EvaluationNotes, ShowAtMostTenNames) {
  Values scores = {{"a", 1}, {"b", 2}};
  for (int i = 0; i < 13; ++i) scores["x" + std::to_string(10 + i)] = i;
  const auto notes = evaluation_notes(report({dataset("pets", scores, {{"a", 1}, {"b", 2}})}));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("x19 and 3 more; left out"));
}

}  // namespace
}  // namespace assay
