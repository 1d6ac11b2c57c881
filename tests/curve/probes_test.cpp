#include "curve/probes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support.h"

namespace assay {
namespace {

// x_ij = sin(3 i + 5 j + i j), rows i from `first` on, as columns.
Matrix waves(Index first, Index count, Index dim) {
  Matrix out(dim, count);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < dim; ++j) {
      const auto row = static_cast<double>(first + i);
      out(j, i) = std::sin(3 * row + 5 * static_cast<double>(j) + row * static_cast<double>(j));
    }
  }
  return out;
}

std::vector<Label> turns(Index count) {
  std::vector<Label> labels;
  for (Index i = 0; i < count; ++i) labels.push_back(static_cast<Label>(i % 3));
  return labels;
}

std::vector<Index> all_rows(Index count) {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

ProbeData class_data(Index count, Index dim) {
  ProbeData data{.train = waves(0, count, dim), .validation = waves(100, 9, dim)};
  data.train_labels = turns(count);
  data.validation_labels = turns(9);
  data.classes = 3;
  data.train_float = data.train.cast<float>();
  return data;
}

Matrix responses(const Matrix& samples, Index first) {
  Matrix out(samples.cols(), 2);
  for (Index i = 0; i < samples.cols(); ++i) {
    out(i, 0) = std::cos(static_cast<double>(first + i)) + samples(0, i);
    out(i, 1) = 2 * samples(1, i);
  }
  return out;
}

ProbeData value_data(Index count) {
  ProbeData data{.train = waves(0, count, 4), .validation = waves(100, 5, 4)};
  data.train_values = responses(data.train, 0);
  data.validation_values = responses(data.validation, 100);
  return data;
}

// Minimised by SciPy's BFGS and polished by Newton steps with a numerical Hessian.
TEST(LinearProbe, HasTheLossOfTheOptimum) {
  const ProbeSettings settings{.kind = ProbeKind::linear, .l2 = 0.5};
  const ProbeOutcome tall = run_probe(test::pool(), class_data(12, 4), all_rows(12), settings, 0);
  EXPECT_NEAR(tall.loss, 1.6771914502205023, 1e-6);
  EXPECT_DOUBLE_EQ(tall.accuracy.value(), 3.0 / 9.0);
  EXPECT_TRUE(tall.converged);
  const ProbeOutcome wide = run_probe(test::pool(), class_data(4, 7), all_rows(4), settings, 0);
  EXPECT_NEAR(wide.loss, 1.7114833997693577, 1e-6);
  EXPECT_DOUBLE_EQ(wide.accuracy.value(), 0.0);
}

TEST(LinearProbe, DoesNotCareAboutTheOrderOfRowsOrThreads) {
  const ProbeData data = class_data(40, 5);
  std::vector<Index> rows = {3, 17, 8, 30, 22, 9, 11, 2};
  const double loss = run_probe(test::pool(), data, rows, {}, 0).loss;
  std::ranges::reverse(rows);
  ThreadPool alone(1);
  EXPECT_EQ(run_probe(alone, data, rows, {}, 1).loss, loss);
}

// One row: two classes never seen. The loss is finite, and no class is impossible.
TEST(LinearProbe, SurvivesMissingClassesAndConstantFeatures) {
  ProbeData data = class_data(6, 3);
  const std::vector<Index> one = {1};
  EXPECT_TRUE(std::isfinite(run_probe(test::pool(), data, one, {}, 0).loss));
  data.train.setZero();
  data.validation.setZero();
  const ProbeOutcome blind = run_probe(test::pool(), data, all_rows(6), {}, 0);
  EXPECT_NEAR(blind.loss, std::log(3.0), 1e-6);
}

// scikit-learn's Ridge(alpha=0.5), by SVD.
TEST(RidgeProbe, AgreesWithScikitLearn) {
  const ProbeSettings settings{.kind = ProbeKind::ridge, .l2 = 0.5};
  const ProbeOutcome tall = run_probe(test::pool(), value_data(12), all_rows(12), settings, 0);
  EXPECT_NEAR(tall.loss, 0.43530572469641154, 1e-12);
  EXPECT_FALSE(tall.accuracy.has_value());
  EXPECT_NEAR(run_probe(test::pool(), value_data(3), all_rows(3), settings, 0).loss,
              1.2675393685673473, 1e-12);
}

TEST(RidgeProbe, PredictsTheMeanFromOneRow) {
  const ProbeData data = value_data(3);
  const std::vector<Index> one = {2};
  const Matrix expected = data.train_values.row(2).replicate(5, 1) - data.validation_values;
  EXPECT_NEAR(run_probe(test::pool(), data, one, {.kind = ProbeKind::ridge}, 0).loss,
              expected.squaredNorm() / 10.0, 1e-14);
}

TEST(MlpProbe, ReportsItsUpdatesAndIsSeeded) {
  ProbeSettings settings{.kind = ProbeKind::mlp};
  settings.mlp.hidden = {8};
  settings.mlp.updates = 50;
  const ProbeData data = class_data(30, 4);
  const ProbeOutcome first = run_probe(test::pool(), data, all_rows(30), settings, 3);
  EXPECT_EQ(first.updates, 50);
  EXPECT_EQ(run_probe(test::pool(), data, all_rows(30), settings, 3).loss, first.loss);
  EXPECT_NE(run_probe(test::pool(), data, all_rows(30), settings, 4).loss, first.loss);
}

TEST(LabelLosses, AreFiniteForCertainMistakes) {
  Matrix logits(2, 2);
  logits << 2000.0, 0.0, -2000.0, 0.0;
  const std::vector<Label> labels = {1, 0};
  const Vector losses = label_losses(logits, labels);
  EXPECT_DOUBLE_EQ(losses[0], 4000.0);
  EXPECT_DOUBLE_EQ(losses[1], std::log(2.0));
  EXPECT_DOUBLE_EQ(accuracy_of(logits, labels), 0.5);
}

TEST(Probes, HaveNames) {
  EXPECT_EQ(probe_name(probe_named("mlp")), "mlp");
  EXPECT_THAT(test::error_of([] { probe_named("forest"); }), testing::HasSubstr("ridge"));
}

}  // namespace
}  // namespace assay
