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

// Probes learn on features in units of all rows; certificates must not, for their blocks are rows
// to train on.
TEST(CurveData, StandardisesByTheRowsAskedFor) {
  const test::Sample sample = test::blobs(3, 40, 4, 2.0);
  const CurveRequest request = request_of(sample);
  const CurveData data(request);
  const Model& model = data.models().front();
  const CurveFeatures by_all = data.load_model(test::pool(), model, CurveData::Standard::all, true);
  expect_unit_rows(by_all.data.train);
  EXPECT_EQ(by_all.data.train_float, by_all.data.train.cast<float>());
  const CurveFeatures by_validation =
      data.load_model(test::pool(), model, CurveData::Standard::held_out, false);
  expect_unit_rows(by_validation.data.train(Eigen::all, data.split(0).held_out));
  EXPECT_EQ(by_validation.data.train_float.size(), 0);
}

TEST(CurveData, SplitsTheRowsAnewForEverySeed) {
  const test::Sample sample = test::blobs(3, 40, 4, 2.0);
  const CurveRequest request = request_of(sample);
  const CurveData data(request);
  EXPECT_EQ(data.train_rows(), 96);
  EXPECT_EQ(data.validation_rows(), 24);
  EXPECT_NE(data.split(0).held_out, data.split(1).held_out);
  for (const Index seed : {0, 1}) {
    std::set<Index> all(data.split(seed).train.begin(), data.split(seed).train.end());
    all.insert(data.split(seed).held_out.begin(), data.split(seed).held_out.end());
    EXPECT_EQ(all.size(), 120U);
    std::vector<Index> order = data.order(seed);
    EXPECT_NE(order, data.split(seed).train);
    std::ranges::sort(order);
    EXPECT_EQ(order, data.split(seed).train);
  }
  EXPECT_EQ(data.order(0), data.order(0));
  EXPECT_NEAR(data.entropy(), std::log(3.0), 1e-12);
  EXPECT_NEAR(data.chance(LossKind::zero_one), 2.0 / 3.0, 1e-12);
}

// The rows of a group judge together or train together, and stand together in every order.
TEST(CurveData, NeverSplitsAGroup) {
  const test::Sample sample = test::blobs(3, 40, 4, 2.0);
  CurveRequest request = request_of(sample);
  std::vector<std::int64_t> ids;
  for (Index i = 0; i < 120; ++i) ids.push_back((i * 7 % 120) / 5);  // 24 groups of five
  request.group_ids = targets_of_classes(ids, "groups");
  const CurveData data(request);
  EXPECT_EQ(data.group_count(), 24);
  for (const Index seed : {0, 1}) {
    EXPECT_EQ(data.split(seed).held_out.size(), 25U);  // a fifth of 24 groups, rounded
    std::set<Label> judges;
    for (const Index row : data.split(seed).held_out)
      judges.insert(data.groups()[static_cast<std::size_t>(row)]);
    const std::vector<Index> order = data.order(seed);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Label group = data.groups()[static_cast<std::size_t>(order[i])];
      EXPECT_FALSE(judges.contains(group));
      EXPECT_EQ(group, data.groups()[static_cast<std::size_t>(order[i - i % 5])]);
    }
  }
  request.group_ids = targets_of_classes(std::vector<std::int64_t>(119, 1), "groups");
  EXPECT_THAT(test::error_of([&] { CurveData wrong(request); }),
              HasSubstr("expected 120 group ids (integers or text), one per row, got 119 ids"));
  request.group_ids = targets_of_classes(std::vector<std::int64_t>(120, 1), "groups");
  EXPECT_THAT(test::error_of([&] { CurveData wrong(request); }), HasSubstr("too few groups"));
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
                wide.load_model(test::pool(), wide.models().front(), CurveData::Standard::all,
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
      data.load_model(test::pool(), data.models().front(), CurveData::Standard::all, false);
  const std::vector<Index> sizes = {12, 60};
  double told = 0.0;
  const auto found = probes.run(features, sizes, [&](double share) { told = share; });
  EXPECT_DOUBLE_EQ(told, 1.0);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(probes.probes(), 4);
  for (const FinishedProbe& probe : found) {
    const std::vector<Index> order = data.order(probe.seed);
    const ProbeOutcome expected = run_probe(
        test::pool(), features.data, std::span(order).first(static_cast<std::size_t>(probe.n)),
        settings, 0, data.split(probe.seed).held_out);
    EXPECT_DOUBLE_EQ(probe.outcome.loss, expected.loss) << probe.seed << " " << probe.n;
    EXPECT_EQ(probe.outcome.accuracy, expected.accuracy);
    EXPECT_EQ(probe.outcome.row_losses.size(), 24U);
    double sum = 0.0;
    for (const float loss : probe.outcome.row_losses) sum += loss;
    EXPECT_NEAR(sum / 24.0, probe.outcome.loss, 1e-6);
  }
  EXPECT_NE(found[0].outcome.loss, found[2].outcome.loss);
}

}  // namespace
}  // namespace assay
