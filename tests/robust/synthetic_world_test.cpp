// Tests: robust/synthetic_world, robust/open_world.
#include "robust/synthetic_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "assay/error.h"
#include "core/random.h"
#include "io/npy.h"
#include "io/npz.h"
#include "linalg/eigen.h"
#include "robust/model_scores.h"
#include "robust/synbench.h"
#include "robust/synthetic.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr Index kWorldDim = 6;

Vector uneven_mean() {
  Vector out(kWorldDim);
  out << 0.5, -1.0, 0.2, 0.0, 2.0, 0.7;
  return out;
}

Vector variances() {
  Vector out(kWorldDim);
  out << 4.0, 0.1, 1.0, 0.5, 9.0, 0.3;
  return out;
}

Matrix factor() {
  Matrix out(kWorldDim, 2);
  out << 1.0, 0.0, 0.5, -1.0, 0.0, 2.0, -0.3, 0.4, 1.5, 0.1, 0.2, -0.8;
  return out;
}

struct Case {
  const char* name;
  SyntheticWorld world;
  Matrix covariance;
};

std::vector<Case> cases() {
  const Matrix both = Matrix(variances().asDiagonal()) + factor() * factor().transpose();
  return {
      {"diagonal", SyntheticWorld::low_rank(uneven_mean(), variances(), Matrix(kWorldDim, 0), ""),
       variances().asDiagonal()},
      {"low rank", SyntheticWorld::low_rank(uneven_mean(), variances(), factor(), ""), both},
      {"full", SyntheticWorld::full(uneven_mean(), both, ""), both},
  };
}

// The raw data as any representation is seen: in the eigenbasis of their covariance.
GaussianPair population(const Case& one, double scale) {
  const SymmetricEigen eigen = symmetric_eigen(one.covariance);
  GaussianPair out;
  out.basis = eigen.vectors;
  out.variances = eigen.values;
  out.midpoint = Vector::Zero(kWorldDim);
  const Matrix inverse =
      eigen.vectors * eigen.values.cwiseInverse().asDiagonal() * eigen.vectors.transpose();
  const double length = std::sqrt(uneven_mean().dot(inverse * uneven_mean()));
  out.half_gap = eigen.vectors.transpose() * uneven_mean() * (scale / length);
  return out;
}

TEST(SyntheticWorld, TheRawDataAreTheirOwnRobustBayesClassifier) {
  for (const Case& one : cases()) {
    for (const double epsilon : {0.0, 0.2, 0.8}) {
      for (const double prior : {0.5, 0.3}) {
        const GaussianPair pair = population(one, 1.7);
        const OperatingPoint expected =
            expected_point(pair, *robust_bayes(pair, {.epsilon = epsilon}), prior);
        const OperatingPoint found = one.world.reference(1.7, epsilon, prior);
        EXPECT_NEAR(found.accuracy, expected.accuracy, 1e-10) << one.name << epsilon;
        EXPECT_NEAR(found.bound, expected.bound, 1e-9) << one.name << epsilon;
      }
    }
    // Half the distance is s standard deviations, whatever the covariance.
    EXPECT_NEAR(one.world.reference(1.0, 0.0, 0.5).accuracy, 0.5 * std::erfc(-1.0 / std::sqrt(2.0)),
                1e-12);
  }
}

TEST(SyntheticWorld, TheUniformMeanAndUnitVariancesAreThePapersWorld) {
  const SyntheticWorld plain =
      SyntheticWorld::low_rank({}, Vector::Ones(kWorldDim), Matrix(kWorldDim, 0), "");
  for (const double epsilon : {0.0, 0.6}) {
    const OperatingPoint a = plain.reference(2.0, epsilon, 0.3);
    const OperatingPoint b = reference_point(2.0, epsilon, 0.3);
    EXPECT_NEAR(a.accuracy, b.accuracy, 1e-13);
    EXPECT_NEAR(a.bound, b.bound, 1e-12);
  }
  for (Index k = 0; k < kWorldDim; ++k) EXPECT_NEAR(plain.mean()[k], 1.0 / std::sqrt(6.0), 1e-7);
}

std::vector<FloatMatrix> inputs(const SyntheticWorld& world, Index samples,
                                const std::vector<double>& scales, int threads = 2) {
  ThreadPool pool(threads);
  const SyntheticData data{
      .dim = kWorldDim, .samples = samples, .offset = 0.25, .seed = 3, .world = &world};
  std::vector<FloatMatrix> out(scales.size(), FloatMatrix(kWorldDim, samples));
  stream_inputs(pool, data, scales, 100, [&](const InputBlock& part) {
    out[part.scale].middleCols(part.first, part.inputs->cols()) = *part.inputs;
  });
  return out;
}

TEST(SyntheticWorld, ItsInputsHaveItsMeansAndItsCovariance) {
  constexpr Index samples = 40000;
  for (const Case& one : cases()) {
    const Matrix x = inputs(one.world, samples, {2.0}).front().cast<double>();
    Vector sums[2] = {Vector::Zero(kWorldDim), Vector::Zero(kWorldDim)};
    for (Index i = 0; i < samples; ++i) sums[(i + 1) % 2] += x.col(i);  // even ones are of class 1
    const Vector low = sums[0] / (0.5 * samples);
    const Vector high = sums[1] / (0.5 * samples);
    Matrix centred = x;
    for (Index i = 0; i < samples; ++i) centred.col(i) -= i % 2 == 0 ? high : low;
    const Matrix covariance = centred * centred.transpose() / static_cast<double>(samples);
    const Vector half = 0.5 * (high - low);
    for (Index a = 0; a < kWorldDim; ++a) {
      const double sd = std::sqrt(one.covariance(a, a));
      const double error = 4.0 * sd / std::sqrt(static_cast<double>(samples));
      EXPECT_NEAR(half[a], 2.0 * one.world.mean()[a], error) << one.name;
      EXPECT_NEAR(0.5 * (high + low)[a], 0.25, error) << one.name;
      for (Index b = 0; b < kWorldDim; ++b)
        EXPECT_NEAR(covariance(a, b), one.covariance(a, b),
                    6.0 * sd * std::sqrt(one.covariance(b, b) / static_cast<double>(samples)))
            << one.name;
    }
  }
}

TEST(SyntheticWorld, InputsAreTheSameForAnyThreads) {
  for (const Case& one : cases())
    EXPECT_EQ(inputs(one.world, 250, {0.5, 3.0}, 1), inputs(one.world, 250, {0.5, 3.0}, 4));
}

// What the raw data lose by being seen through themselves is nothing, in any world.
TEST(SyntheticWorld, TheIdentityScoresOneInIt) {
  SynbenchRequest request;
  request.scales = {0.5, 1.0, 2.0, 3.0};
  request.epsilons = {0.0, 0.4, 0.8};
  request.thresholds = {0.7};
  std::vector<Budget> budgets;
  for (const double epsilon : request.epsilons) budgets.push_back({.epsilon = epsilon});
  for (const Case& one : cases()) {
    const auto fit = inputs(one.world, 2000, request.scales);
    SyntheticData data{
        .dim = kWorldDim, .samples = 2000, .seed = 9, .stream = 1, .world = &one.world};
    std::vector<ScaleMeasurement> measured(request.scales.size());
    stream_inputs(test::pool(), data, request.scales, 2000, [&](const InputBlock& part) {
      const auto s = part.scale;
      measured[s] =
          measure_scale(test::pool(), request.scales[s], {fit[s].cast<double>(), data.labels()},
                        {part.inputs->cast<double>(), data.labels()}, budgets, 0.5, &one.world);
    });
    SynbenchModel model;
    model.dim = kWorldDim;
    model.train = model.test = 2000;
    model.scales = request.scales;
    score_measurements(measured, request, model);
    for (const SynbenchScore& score : model.scores)
      EXPECT_NEAR(*score.calibrated, 1.0, 4.0 * *score.calibrated_se) << one.name << score.epsilon;
  }
}

class OpenWorld : public testing::Test {
 protected:
  std::filesystem::path npy(const char* name, const Matrix& values) const {
    write_npy(folder_ / name, values);
    return folder_ / name;
  }
  static std::string error_of(const SynbenchRequest& request) {
    try {
      open_world(request);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  test::TemporaryDirectory folder_;
};

TEST_F(OpenWorld, ReadsDiagonalFullAndLowRank) {
  SynbenchRequest request;
  request.memory_limit = Index{1} << 30;
  EXPECT_FALSE(open_world(request).has_value());
  request.mean = npy("mean.npy", uneven_mean());
  EXPECT_EQ(open_world(request)->noise_dim(), kWorldDim);  // unit variances
  request.covariance = npy("diagonal.npy", variances());
  std::vector<SyntheticWorld> found = {*open_world(request)};
  const Matrix both = cases()[1].covariance;
  request.covariance = npy("full.npy", both);
  found.push_back(*open_world(request));
  const Vector diagonal = variances();
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = factor();
  const std::vector<NpzMember> members = {{"diagonal",
                                           ElementType::f64,
                                           {kWorldDim},
                                           std::as_bytes(std::span(diagonal.data(), kWorldDim))},
                                          {"factor",
                                           ElementType::f64,
                                           {kWorldDim, 2},
                                           std::as_bytes(std::span(rows.data(), 2 * kWorldDim))}};
  request.covariance = folder_ / "low.npz";
  write_npz(request.covariance, members);
  found.push_back(*open_world(request));
  const auto reference = [](const SyntheticWorld& world) {
    return world.reference(1.5, 0.4, 0.5).bound;
  };
  const std::vector<Case> known = cases();
  EXPECT_EQ(reference(found[0]), reference(known[0].world));
  EXPECT_NEAR(reference(found[1]), reference(known[2].world), 1e-12);
  EXPECT_EQ(reference(found[2]), reference(known[1].world));
}

TEST_F(OpenWorld, SaysWhatIsWrong) {
  SynbenchRequest request;
  request.memory_limit = Index{1} << 30;
  const auto covariance = [&](const Matrix& values) {
    request.covariance = npy("covariance.npy", values);
    return error_of(request);
  };
  EXPECT_THAT(covariance(-variances()), HasSubstr("not positive definite"));
  EXPECT_THAT(covariance(Matrix::Ones(4, 4)), HasSubstr("not positive definite"));
  Matrix lopsided = Matrix::Identity(4, 4);
  lopsided(0, 1) = 0.5;
  EXPECT_THAT(covariance(lopsided), HasSubstr("not symmetric"));
  EXPECT_THAT(covariance(Vector::Constant(3, std::nan(""))), HasSubstr("finite"));
  request.memory_limit = 100;
  EXPECT_THAT(covariance(Matrix::Identity(9, 9)), HasSubstr("diagonal and factor"));
  request.memory_limit = Index{1} << 30;
  request.mean = npy("mean.npy", Vector::Ones(5));
  EXPECT_THAT(covariance(variances()), HasSubstr("5 numbers"));
  request.mean = npy("mean.npy", Vector::Zero(kWorldDim));
  EXPECT_THAT(covariance(variances()), HasSubstr("direction"));
  request.norm = Norm::infinity;
  EXPECT_THAT(error_of(request), HasSubstr("norm 2"));
}

}  // namespace
}  // namespace assay
