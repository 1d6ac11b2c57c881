// Tests: search/search_hub, search/look_scorer, search/feature_field, search/search_json,
//   search/search_table, search/search_verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "assay/search.h"
#include "search/search_report.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

// Features of one set of rows, from good to none.
SearchRequest request_of(Index models, Index rows) {
  const test::Sample sample = test::blobs(4, rows / 4, 12, 0.6);
  SearchRequest request;
  request.rank.hub.targets = sample.targets;
  request.rank.memory_limit = Index{1} << 32;
  for (Index k = 0; k < models; ++k) {
    const double noise = 0.3 * static_cast<double>(k);
    const Matrix values = sample.features + noise * test::gaussian(rows, 12, 50 + k);
    request.rank.hub.models.push_back(
        {"m" + std::to_string(100 + k), {}, {}, rows_of_matrix(values, "m" + std::to_string(k))});
  }
  return request;
}

std::vector<std::string> reported(const SearchResult& result) {
  std::vector<std::string> names;
  for (const RacedModel& model : result.models)
    if (model.reported) names.push_back(model.name);
  return names;
}

RankResult full_run(const SearchRequest& request) {
  RankRequest full = request.rank;
  full.metrics = {&find_metric("ridge_loo")};
  return rank_hub(test::pool(), full, {});
}

TEST(SearchHub, FindsTheBestForAShareOfTheWork) {
  const SearchRequest request = request_of(20, 1200);
  const SearchResult result = search_hub(test::pool(), request, {});
  const RankResult full = full_run(request);
  const std::string best =
      full.models[static_cast<std::size_t>(full.ranking.places.front().candidate)].name;
  EXPECT_THAT(reported(result), testing::Contains(best));
  EXPECT_EQ(reported(result).size(), 3U);
  EXPECT_LE(result.passes, result.full_passes / 4);
  EXPECT_EQ(result.full_passes, 20 * 1200);
}

// With everything to spend the race ends on all rows with the values of a full run.
TEST(SearchHub, OnAllRowsHasTheScoresOfRank) {
  SearchRequest request = request_of(4, 200);
  for (Model& model : request.rank.hub.models) model.rows = request.rank.hub.models.front().rows;
  request.budget = parse_budget("100%");
  request.top = 2;
  const SearchResult result = search_hub(test::pool(), request, {});
  EXPECT_EQ(result.end, RaceEnd::all_seen);  // four copies of one model
  EXPECT_TRUE(result.settled());
  const RankResult full = full_run(request);
  EXPECT_NEAR(result.models.front().looks.back().value,
              full.models.front().scores.front().score.value, 1e-12);
}

TEST(SearchHub, IsTheSameForAnyNumberOfThreads) {
  const SearchRequest request = request_of(9, 400);
  ThreadPool one(1);
  const auto values = [](const SearchResult& result) {
    std::vector<std::pair<std::string, double>> out;
    for (const RacedModel& model : result.models)
      out.emplace_back(model.name, model.looks.back().value);
    return out;
  };
  EXPECT_EQ(values(search_hub(one, request, {})), values(search_hub(test::pool(), request, {})));
}

TEST(SearchHub, RacesByAnyMetricOfFeaturesAndAnyTarget) {
  SearchRequest request = request_of(6, 400);
  for (const char* metric : {"logme", "knn", "ncc_loo", "hscore"}) {
    request.by = &find_metric(metric);
    EXPECT_THAT(reported(search_hub(test::pool(), request, {})), testing::Contains("m100"))
        << metric;
  }
  Matrix values(400, 1);
  values.col(0) = test::blobs(4, 100, 12, 0.6).features.col(0);
  request.rank.hub.targets = test::value_targets(values);
  request.by = nullptr;
  EXPECT_EQ(reported(search_hub(test::pool(), request, {})).front(), "m100");
}

TEST(SearchHub, RefusesWhatItCannotDo) {
  SearchRequest request = request_of(3, 80);
  request.by = &find_metric("leep");
  EXPECT_THAT(test::error_of([&] { search_hub(test::pool(), request, {}); }),
              HasSubstr("a metric of the features alone"));
  request.by = nullptr;
  request.rank.level = 0.0;
  EXPECT_THAT(test::error_of([&] { search_hub(test::pool(), request, {}); }),
              HasSubstr("with a confidence"));
}

TEST(SearchHub, LeavesOutModelsOfOtherLengths) {
  SearchRequest request = request_of(5, 400);
  request.rank.hub.models[1].rows = rows_of_matrix(test::gaussian(399, 12, 9), "short.npy");
  const SearchResult result = search_hub(test::pool(), request, {});
  ASSERT_EQ(result.failed.size(), 1U);
  EXPECT_THAT(result.failed.front().error, HasSubstr("short.npy"));
  EXPECT_EQ(result.models.size(), 4U);
}

TEST(SearchReport, SaysWhatIsSettledAndWhatIsNot) {
  SearchRequest request = request_of(12, 800);
  request.budget = parse_budget("100%");
  const SearchResult settled = search_hub(test::pool(), request, {});
  ASSERT_TRUE(settled.settled());
  EXPECT_THAT(search_verdict(settled), HasSubstr("m100"));
  request.budget = parse_budget("25%");
  for (std::size_t k = 1; k < 12; ++k)
    request.rank.hub.models[k].rows = request.rank.hub.models[0].rows;
  const SearchResult open = search_hub(test::pool(), request, {});
  EXPECT_FALSE(open.settled());
  EXPECT_THAT(search_verdict(open),
              HasSubstr("Not settled when the budget of 25% was spent: 12 of"));
  const nlohmann::ordered_json json = search_json(open);
  EXPECT_EQ(json.at("race").at("settled"), false);
  EXPECT_EQ(json.at("race").at("reported").size(), 3U);
  EXPECT_EQ(json.at("models").size(), 12U);
  EXPECT_TRUE(json.at("models")[0].at("rank_low").is_null());
  EXPECT_THAT(search_table(open), HasSubstr("set aside at"));
  EXPECT_THAT(search_csv(open), HasSubstr("name,rank,reported,state,ridge_loo"));
  EXPECT_THAT(search_heading(open), HasSubstr("12 models, 800 samples, a race by ridge_loo"));
}

}  // namespace
}  // namespace assay
