#include "curve/curve_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/random.h"
#include "curve/run_probes.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr Index kLimit = Index{1} << 30;

Model model_of(const std::string& name, const Matrix& features) {
  return {.name = name, .features = {}, .rows = rows_of_matrix(features, name)};
}

CurveRequest request_of(const test::Sample& sample) {
  CurveRequest request;
  request.hub.targets = sample.targets;
  request.hub.models = {model_of("m", sample.features)};
  request.seeds = 2;
  request.memory_limit = kLimit;
  return request;
}

void expect_unit_rows(const Matrix& samples) {  // D x n
  for (Index d = 0; d < samples.rows(); ++d) {
    EXPECT_NEAR(samples.row(d).mean(), 0.0, 1e-12);
    EXPECT_NEAR(samples.row(d).squaredNorm() / static_cast<double>(samples.cols()), 1.0, 1e-12);
  }
}

// Probes learn on features in units of the training rows; certificates must not, for their blocks
// are training rows.
TEST(CurveData, StandardisesByTheRowsAskedFor) {
  const test::Sample sample = test::blobs(3, 40, 4, 2.0);
  const CurveRequest request = request_of(sample);
  const CurveData data(request);
  const Model& model = data.models().front();
  const CurveFeatures by_training =
      data.load_model(test::pool(), model, CurveData::Standard::training, true);
  expect_unit_rows(by_training.data.train);
  EXPECT_EQ(by_training.data.train_float, by_training.data.train.cast<float>());
  const CurveFeatures by_validation =
      data.load_model(test::pool(), model, CurveData::Standard::validation, false);
  expect_unit_rows(by_validation.data.validation);
  EXPECT_EQ(by_validation.data.train_float.size(), 0);
}

TEST(CurveData, SplitsTheRowsOnceForAllModels) {
  const test::Sample sample = test::blobs(3, 40, 4, 2.0);
  const CurveRequest request = request_of(sample);
  const CurveData data(request);
  EXPECT_EQ(data.train_rows(), 96);
  EXPECT_EQ(data.validation_rows(), 24);
  std::set<Index> all(data.split().train.begin(), data.split().train.end());
  all.insert(data.split().held_out.begin(), data.split().held_out.end());
  EXPECT_EQ(all.size(), 120U);
  const CurveFeatures features =
      data.load_model(test::pool(), data.models().front(), CurveData::Standard::training, false);
  ASSERT_EQ(std::ssize(features.data.train_labels), data.train_rows());
  for (std::size_t i = 0; i < data.split().train.size(); ++i)
    EXPECT_EQ(features.data.train_labels[i],
              sample.targets.labels[static_cast<std::size_t>(data.split().train[i])]);
  EXPECT_NEAR(data.entropy(), std::log(3.0), 1e-12);  // 8 of each class
  EXPECT_NEAR(data.chance(LossKind::zero_one), 2.0 / 3.0, 1e-12);
}

TEST(CurveData, OrdersAreOfPositionsAndDifferBetweenSeeds) {
  const CurveRequest request = request_of(test::blobs(3, 40, 4, 2.0));
  const CurveData data(request);
  const std::vector<Index> order = data.order(0);
  EXPECT_EQ(std::set<Index>(order.begin(), order.end()).size(), 96U);
  EXPECT_EQ(*std::max_element(order.begin(), order.end()), 95);
  EXPECT_NE(order, data.order(1));
  EXPECT_EQ(order, data.order(0));
}

TEST(CurveData, TakesValidationRowsOfTheirOwnUnderTheTrainingCodes) {
  const test::Sample sample = test::blobs(3, 20, 4, 2.0);
  CurveRequest request = request_of(sample);
  Targets held = test::class_targets({2, 0, 1, 1});
  held.names = {"1", "2", "0"};  // code 0 is class 1 here
  request.validation_hub.targets = held;
  request.validation_hub.models = {model_of("other", test::gaussian(4, 4, 5))};
  const CurveData data(request);
  EXPECT_EQ(data.train_rows(), 60);
  EXPECT_EQ(data.validation_rows(), 4);
  EXPECT_EQ(data.validation_targets().labels, (std::vector<Label>{0, 1, 2, 2}));
  request.validation_hub.models = {model_of("other", test::gaussian(4, 5, 5))};
  const CurveData wide(request);
  EXPECT_THAT(test::error_of([&] {
                wide.load_model(test::pool(), wide.models().front(), CurveData::Standard::training,
                                false);
              }),
              HasSubstr("m: 4 dimensions to train on, 5 to validate"));
}

TEST(CurveData, RefusesTargetsThatHaveNoCurve) {
  CurveRequest request = request_of(test::blobs(1, 20, 4, 2.0));
  EXPECT_THAT(test::error_of([&] { CurveData data(request); }), HasSubstr("only one class"));
  request.hub.targets = test::value_targets(test::gaussian(20, 2, 1));
  request.hub.targets->kind = TargetKind::multi_label;
  EXPECT_THAT(test::error_of([&] { CurveData data(request); }), HasSubstr("several labels"));
}

// What a probe of n rows is, by hand: the first n of its seed's order.
TEST(CurveProbes, TrainOnTheFirstRowsOfTheirOrder) {
  const CurveRequest request = request_of(test::blobs(3, 40, 4, 3.0));
  const CurveData data(request);
  const ProbeSettings settings{.kind = ProbeKind::linear, .l2 = 1.0};
  CurveProbes probes(test::pool(), request, settings, data);
  const CurveFeatures features =
      data.load_model(test::pool(), data.models().front(), CurveData::Standard::training, false);
  const std::vector<Index> sizes = {12, 60};
  double told = 0.0;
  const auto found = probes.run(features, sizes, [&](double share) { told = share; });
  EXPECT_DOUBLE_EQ(told, 1.0);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(probes.probes(), 4);
  for (const FinishedProbe& probe : found) {
    const std::vector<Index> order = data.order(probe.seed);
    const ProbeOutcome expected =
        run_probe(test::pool(), features.data,
                  std::span(order).first(static_cast<std::size_t>(probe.n)), settings, 0);
    EXPECT_DOUBLE_EQ(probe.outcome.loss, expected.loss) << probe.seed << " " << probe.n;
    EXPECT_EQ(probe.outcome.accuracy, expected.accuracy);
  }
  EXPECT_NE(found[0].outcome.loss, found[2].outcome.loss);
}

}  // namespace
}  // namespace assay
