#include "evaluate/prior_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "evaluate/score_json.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

std::string row(const std::string& name, const std::string& prior, const std::string& temperature,
                const std::string& value, const std::string& more = "") {
  return R"({"name":")" + name + R"(","prior":")" + prior + R"(","temperature":)" + temperature +
         R"(,"expectation":)" + value + R"(,"sd_per_pair":0.5,"probe_r2":{"value":)" + value +
         R"(,"sd":null},"alpha_req":0.7,"dim":8)" + more + "}";
}

DatasetScores read(const std::string& rows) {
  return scores_of_json(R"({"command":"prior score","models":[)" + rows + "]}", "s.json", {});
}

const ScoreColumn& column(const DatasetScores& scores, const std::string& name) {
  const auto found = std::ranges::find(scores.columns, name, &ScoreColumn::name);
  EXPECT_NE(found, scores.columns.end()) << name;
  return *found;
}

TEST(PriorScores, OfOnePriorAndTemperatureHavePlainNames) {
  const DatasetScores scores =
      read(row("a", "p", "0.1", "0.3") + "," + row("b", "p", "0.1", "0.2"));
  EXPECT_DOUBLE_EQ(column(scores, "probe_r2").values.at("a"), 0.3);
  EXPECT_TRUE(column(scores, "expectation").higher_is_better);
  EXPECT_FALSE(column(scores, "sd_per_pair").higher_is_better);
  EXPECT_FALSE(column(scores, "alpha_req").higher_is_better);
  EXPECT_NEAR(column(scores, "alpha_req").values.at("b"), 0.3, 1e-15);  // from 1
  EXPECT_DOUBLE_EQ(scores.dims.at("a"), 8.0);
}

TEST(PriorScores, OfSeveralHaveAColumnEach) {
  const DatasetScores scores =
      read(row("a", "p", "0.1", "0.3") + "," + row("a", "q", "0.1", "0.2") + "," +
           row("a", "p", "1", "0.5") + "," + row("a", "q", "1", "0.6"));
  EXPECT_DOUBLE_EQ(column(scores, "probe_r2 (q)").values.at("a"), 0.6);
  EXPECT_DOUBLE_EQ(column(scores, "expectation (p, T = 0.1)").values.at("a"), 0.3);
  EXPECT_EQ(column(scores, "alpha_req").values.size(), 1U);
}

TEST(PriorScores, LeaveOutThePriorsOwnModel) {
  const DatasetScores scores = read(row("a", "a", "0.1", "0.9", R"(,"own_prior":true)") + "," +
                                    row("b", "a", "0.1", "0.2", R"(,"own_prior":false)"));
  EXPECT_EQ(column(scores, "probe_r2").values.count("a"), 0U);
  EXPECT_EQ(column(scores, "alpha_req").values.count("a"), 1U);
}

TEST(PriorScores, OfProbesAreRead) {
  const DatasetScores scores = scores_of_json(
      R"({"command":"prior probe","models":[{"name":"a","mean":0.8,"task_variance":0.01,)"
      R"("worst_5_percent":0.6,"dim":3}]})",
      "p.json", {});
  EXPECT_DOUBLE_EQ(column(scores, "mean").values.at("a"), 0.8);
  EXPECT_FALSE(column(scores, "task_variance").higher_is_better);
}

TEST(PriorScores, WhatIsNoResultIsRefused) {
  EXPECT_THAT(test::error_of([] { read("5"); }), HasSubstr("without a name"));
  EXPECT_THAT(test::error_of([] { scores_of_json(R"({"command":"prior score"})", "x.json", {}); }),
              HasSubstr("no array 'models'"));
  EXPECT_THAT(test::error_of(
                  [] { read(R"({"name":"a","expectation":"high","prior":"p","temperature":1})"); }),
              HasSubstr("expectation"));
}

}  // namespace
}  // namespace assay
