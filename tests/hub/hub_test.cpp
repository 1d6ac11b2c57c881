// Tests: hub/hub_or_files, hub/open_rows.
#include "assay/hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "assay/curve.h"
#include "assay/rank.h"
#include "core/memory.h"
#include "curve/loss_curve.h"
#include "curve/schedule.h"
#include "io/npy.h"
#include "rank/rank_report.h"
#include "support.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Model in_memory(const std::string& name, const Matrix& features) {
  Model model{name, {}, {}};
  model.rows = rows_of_matrix(features, name);
  return model;
}

CurveRequest learner_request(Index rows, Learner learner) {
  std::vector<Label> labels;
  for (Index row = 0; row < rows; ++row) labels.push_back(static_cast<Label>(row % 2));
  CurveRequest request;
  request.hub.targets = test::class_targets(labels);
  request.learners.emplace("mine", std::move(learner));
  request.seeds = 2;
  request.sizes = {10, 40};
  request.memory_limit = default_memory_limit();
  return request;
}

TEST(Hub, IsTakenByName) {
  const Matrix x = Matrix::Identity(3, 3);
  const ModelList found = models_by_name({.models = {in_memory("b", x), in_memory("a", x)}});
  EXPECT_THAT(found.models,
              ElementsAre(testing::Field(&Model::name, "a"), testing::Field(&Model::name, "b")));
  EXPECT_THAT(test::error_of([&] {
                models_by_name({.models = {in_memory("a", x), in_memory("a", x)}});
              }),
              HasSubstr("two models are called 'a'"));
}

// A model is its rows, wherever they lie.
TEST(Hub, RanksAsFilesDo) {
  const test::TemporaryDirectory folder;
  const test::Sample good = test::blobs(3, 20, 5, 0.5);
  const Matrix noise = test::gaussian(60, 4, 9);
  write_npy(folder / "good.npy", good.features);
  write_npy(folder / "noise.npy", noise);
  RankRequest request;
  request.inputs = {folder / "good.npy", folder / "noise.npy"};
  request.hub.targets = good.targets;
  request.memory_limit = default_memory_limit();
  choose_metrics(request, "logme,knn", "");
  RankRequest given = request;
  given.inputs.clear();
  given.hub.models = {in_memory("noise", noise), in_memory("good", good.features)};
  const RankResult expected = rank_hub(test::pool(), request, {});
  const RankResult found = rank_hub(test::pool(), given, {});
  EXPECT_EQ(rank_csv(found), rank_csv(expected));  // all digits
}

TEST(Hub, WithoutLabelsIsAnError) {
  RankRequest request;
  request.hub.models = {in_memory("a", test::gaussian(10, 2, 1))};
  choose_metrics(request, "logme", "");
  EXPECT_THAT(test::error_of([&] { rank_hub(test::pool(), request, {}); }), HasSubstr("no labels"));
}

TEST(ChooseMetrics, OrdersByConsensusOnlyWhereNothingIsNamed) {
  RankRequest request;
  choose_metrics(request, "default", "");
  EXPECT_TRUE(request.by_consensus);
  RankRequest asked;
  choose_metrics(asked, "logme,knn", "consensus");
  EXPECT_TRUE(asked.by_consensus);
  RankRequest named;
  choose_metrics(named, "knn", "logme");
  EXPECT_FALSE(named.by_consensus);
  EXPECT_EQ(named.by, &find_metric("logme"));
  EXPECT_THAT(named.metrics, ElementsAre(&find_metric("knn"), &find_metric("logme")));
}

TEST(CurveLearner, IsAskedSeedBySeedWithNestedRowsApartFromValidation) {
  std::vector<std::vector<Index>> trained;
  std::vector<std::vector<Index>> judged;  // every seed has a split of its own
  const CurveRequest request = learner_request(100, [&](const LearnerTask& task) {
    trained.emplace_back(task.train.begin(), task.train.end());
    judged.emplace_back(task.validation.begin(), task.validation.end());
    return ProbeOutcome{.loss = 4.0 / static_cast<double>(task.train.size()), .accuracy = 0.5};
  });
  const CurveResult result = curve_hub(test::pool(), request, {});
  ASSERT_EQ(trained.size(), 4U);
  for (std::size_t k = 0; k < trained.size(); ++k) {
    EXPECT_EQ(judged[k].size(), 20U);
    for (const Index row : trained[k]) {
      EXPECT_TRUE(row >= 0 && row < 100);
      EXPECT_EQ(std::ranges::count(judged[k], row), 0);
      EXPECT_EQ(std::ranges::count(trained[k], row), 1);
    }
  }
  EXPECT_TRUE(std::ranges::equal(trained[0], std::span(trained[1]).first(10)));
  EXPECT_NE(trained[1], trained[3]);  // another seed
  const std::vector<CurvePoint> points = points_of(result.models.at(0).curve.runs);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_DOUBLE_EQ(points[0].loss, 0.4);
  EXPECT_DOUBLE_EQ(points[1].loss, 0.1);
  // The left rule: 10 rows at chance, then 30 at the loss of 10 rows.
  EXPECT_NEAR(result.curves.models.at(0).at.back().mdl, 10.0 * std::log(2.0) + 30.0 * 0.4, 1e-12);
}

// What a learner says is checked like a file; a learner that fails leaves the others.
TEST(CurveLearner, OutcomesAreChecked) {
  const auto outcome = [](double loss, std::optional<double> accuracy) {
    return [=](const LearnerTask&) { return ProbeOutcome{.loss = loss, .accuracy = accuracy}; };
  };
  const auto error_with = [](const CurveRequest& request) {
    return test::error_of([&] { curve_hub(test::pool(), request, {}); });
  };
  EXPECT_THAT(error_with(learner_request(
                  50, outcome(std::numeric_limits<double>::infinity(), std::nullopt))),
              HasSubstr("learner 'mine', 10 rows, seed 0: the loss is inf"));
  EXPECT_THAT(error_with(learner_request(50, outcome(1.0, 1.5))), HasSubstr("the accuracy is 1.5"));
  CurveRequest zero_one = learner_request(50, outcome(1.0, std::nullopt));
  zero_one.loss = LossKind::zero_one;
  EXPECT_THAT(error_with(zero_one), HasSubstr("needs the accuracy"));
  CurveRequest beside = learner_request(50, outcome(-std::nan(""), std::nullopt));
  beside.hub.models = {in_memory("x", test::gaussian(50, 3, 2))};
  const CurveResult result = curve_hub(test::pool(), beside, {});
  ASSERT_EQ(result.models.size(), 1U);
  EXPECT_EQ(result.models[0].name, "x");
  EXPECT_EQ(result.failed.at(0).name, "mine");
  beside.hub.models.front().name = "mine";
  EXPECT_THAT(error_with(beside), HasSubstr("two models are called 'mine'"));
}

}  // namespace
}  // namespace assay
