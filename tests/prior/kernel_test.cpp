#include "prior/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/error.h"
#include "golden_tasks.h"
#include "prior/principal_axes.h"

namespace assay {
namespace {

using test::dense;
using test::golden_matrix;
using test::kernel_of;
using testing::HasSubstr;

void expect_golden(const Matrix& kernel, const nlohmann::json& expected) {
  EXPECT_NEAR(kernel.sum(), expected.at("sum").get<double>(), 1e-9);
  EXPECT_NEAR(kernel.trace(), expected.at("trace").get<double>(), 1e-9);
  EXPECT_NEAR(kernel.norm(), expected.at("fro").get<double>(), 1e-9);
  EXPECT_NEAR(kernel(0, 1), expected.at("K01").get<double>(), 1e-12);
  EXPECT_NEAR(kernel(0, 23), expected.at("K0_23").get<double>(), 1e-12);
}

TEST(Kernel, EqualsGoldenValues) {
  for (const std::string name : {"X1", "X2"}) {
    SCOPED_TRACE(name);
    const Matrix x = golden_matrix(name);
    const auto& expected = test::golden_tasks().at("kernels");
    expect_golden(dense(kernel_of<double>(x)), expected.at(name + "_centered_cosine_HKH"));
    expect_golden(dense(kernel_of<double>(x, KernelKind::cosine, false)),
                  expected.at(name + "_cosine"));
    expect_golden(dense(kernel_of<double>(x, KernelKind::linear, false)),
                  expected.at(name + "_linear"));
  }
}

TEST(Kernel, RbfIsTheGaussianOfTheMedianDistance) {
  const Matrix x = golden_matrix("X1");
  std::vector<double> distances;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < i; ++j) distances.push_back((x.row(i) - x.row(j)).norm());
  std::sort(distances.begin(), distances.end());
  const double h = 0.5 * (distances[distances.size() / 2 - 1] + distances[distances.size() / 2]);
  const Kernel<double> kernel = kernel_of<double>(x, KernelKind::rbf, false);
  const Matrix k = dense(kernel);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      const double expected = std::exp(-(x.row(i) - x.row(j)).squaredNorm() / (2.0 * h * h));
      EXPECT_NEAR(k(i, j), expected, 1e-12);
      EXPECT_NEAR(kernel.entry(i, j), expected, 1e-12);
    }
  }
  EXPECT_NEAR(kernel.squared_norm(test::pool()), k.squaredNorm(), 1e-9);
  EXPECT_NEAR(kernel.trace(), 24.0, 1e-12);
}

TEST(Kernel, RbfCentredIsHKH) {
  const Matrix x = test::gaussian(70, 5, 2);  // more than one tile
  const Matrix k = dense(kernel_of<double>(x, KernelKind::rbf, false));
  const Matrix h = Matrix::Identity(70, 70) - Matrix::Constant(70, 70, 1.0 / 70.0);
  const Matrix expected = h * k * h;
  const Kernel<double> got = kernel_of<double>(x, KernelKind::rbf, true);
  EXPECT_LT((dense(got) - expected).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_NEAR(got.entry(3, 3), expected(3, 3), 1e-14);
  EXPECT_NEAR(got.entry(60, 2), expected(60, 2), 1e-14);
  EXPECT_NEAR(got.trace(), expected.trace(), 1e-12);
  EXPECT_NEAR(got.squared_norm(test::pool()), expected.squaredNorm(), 1e-10);
  const Matrix by_trace = dense(kernel_of<double>(x, KernelKind::rbf, true, Normalisation::trace));
  EXPECT_LT((by_trace - expected / expected.trace()).norm(), 1e-13);
}

// Z (Z'Z + l I)^-1 Z' of centred rows of unit length, by the inverse itself.
TEST(Kernel, RidgeIsTheProjectorWithAPenalty) {
  for (const Index dim : {6, 60}) {
    const Matrix x = test::gaussian(40, dim, 8);
    Matrix z = x.rowwise().normalized();
    z.rowwise() -= z.colwise().mean().eval();
    Matrix gram = z.transpose() * z;
    const double penalty = gram.trace() / static_cast<double>(std::min<Index>(dim, 39));
    gram.diagonal().array() += penalty;
    const Matrix expected = z * gram.inverse() * z.transpose();
    EXPECT_LT((dense(kernel_of<double>(x, KernelKind::ridge)) - expected).norm(), 1e-11);
  }
}

TEST(PrincipalAxes, OfAKernelMatrixAreThoseOfItsVectors) {
  const Matrix x = test::gaussian(30, 4, 1);
  const auto axes = [&](const Matrix& k, bool center) {
    return kernel_axes(test::pool(), *rows_of_matrix(k, "k"), center);
  };
  const Matrix k = x * x.transpose();
  const PrincipalAxes plain = axes(k, false);
  EXPECT_EQ(plain.spectrum.size(), 4);
  EXPECT_LT((plain.z.transpose() * plain.z - k).norm(), 1e-11);
  const Matrix centred = x.rowwise() - x.colwise().mean();
  const PrincipalAxes found = axes(k, true);
  EXPECT_LT((found.z.transpose() * found.z - centred * centred.transpose()).norm(), 1e-11);
  EXPECT_LT((found.z * found.z.transpose() - Matrix(found.spectrum.asDiagonal())).norm(), 1e-10);
  EXPECT_THAT(test::error_of([&] { axes(Matrix(x), false); }), HasSubstr("square"));
  EXPECT_THAT(test::error_of([&] { axes(Matrix(-k), false); }), HasSubstr("not a kernel"));
  Matrix skew = k;
  skew(0, 1) += 1.0;
  EXPECT_THAT(test::error_of([&] { axes(skew, false); }), HasSubstr("not symmetric"));
}

TEST(Kernel, ProjectionIsIdempotentAndKeepsCentredFeatures) {
  const Matrix x = golden_matrix("X2");
  const Matrix p = dense(kernel_of<double>(x, KernelKind::projection));
  EXPECT_LT((p * p - p).norm(), 1e-12);
  EXPECT_NEAR(p.trace(), 7.0, 1e-12);
  const Matrix centred = x.rowwise() - x.colwise().mean();
  EXPECT_LT((p * centred - centred).norm(), 1e-11);
}

TEST(Kernel, NormsFollowFromTheMatrix) {
  for (const KernelKind kind : {KernelKind::cosine, KernelKind::linear, KernelKind::rbf}) {
    for (const Index dim : {3, 60}) {  // fewer and more dimensions than rows
      const Matrix x = test::gaussian(40, dim, 3);
      const Matrix k = dense(kernel_of<double>(x, kind));
      const Matrix by_norm = dense(kernel_of<double>(x, kind, true, Normalisation::frobenius));
      const Matrix by_trace = dense(kernel_of<double>(x, kind, true, Normalisation::trace));
      EXPECT_LT((by_norm - k / k.norm()).norm(), 1e-13);
      EXPECT_LT((by_trace - k / k.trace()).norm(), 1e-13);
    }
  }
}

TEST(Kernel, FloatAgreesWithDouble) {
  const Matrix x = test::gaussian(300, 20, 4);
  for (const KernelKind kind :
       {KernelKind::cosine, KernelKind::linear, KernelKind::rbf, KernelKind::projection}) {
    const Matrix exact = dense(kernel_of<double>(x, kind));
    const Matrix rough = dense(kernel_of<float>(x, kind));
    EXPECT_LT((exact - rough).cwiseAbs().maxCoeff(), 2e-6 * exact.cwiseAbs().maxCoeff());
  }
}

// Cosines do not know lengths, however extreme.
TEST(Kernel, CosineIgnoresTheLengthOfRows) {
  Matrix x = test::gaussian(20, 5, 5);
  const Matrix k = dense(kernel_of<double>(x));
  for (Index i = 0; i < x.rows(); ++i)
    x.row(i) *= std::pow(10.0, static_cast<double>(30 * i - 300));
  EXPECT_LT((dense(kernel_of<double>(x)) - k).norm(), 1e-12);
}

TEST(Kernel, RefusesWhatHasNoKernel) {
  Matrix x = test::gaussian(10, 3, 6);
  x.row(4).setZero();
  EXPECT_THAT(test::error_of([&] { kernel_of<double>(x); }), HasSubstr("row 4 is all zero"));
  EXPECT_NO_THROW(kernel_of<double>(x, KernelKind::linear));
  x(7, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(test::error_of([&] { kernel_of<double>(x, KernelKind::linear); }),
              HasSubstr("row 7, column 2 is NaN"));
  const Matrix huge = 1e70 * test::gaussian(10, 3, 7);
  EXPECT_NO_THROW(kernel_of<double>(huge));
  for (const KernelKind kind : {KernelKind::linear, KernelKind::rbf, KernelKind::projection})
    EXPECT_THAT(test::error_of([&] { kernel_of<double>(huge, kind); }), HasSubstr("beyond 1e+60"));
  const Matrix same = Matrix::Ones(10, 3);
  EXPECT_THAT(test::error_of([&] { kernel_of<double>(same, KernelKind::rbf); }),
              HasSubstr("no bandwidth"));
  EXPECT_THAT(test::error_of([&] { kernel_of<double>(same, KernelKind::projection); }),
              HasSubstr("all rows are the same"));
  EXPECT_THAT(test::error_of(
                  [&] { kernel_of<double>(same, KernelKind::linear, true, Normalisation::trace); }),
              HasSubstr("cannot be normalised"));
}

TEST(MedianOverPairs, IsExactForFewAndSeededForMany) {
  const auto f = [](Index i, Index j) { return static_cast<double>(i + j); };
  EXPECT_EQ(median_over_pairs(2, 0, f), 1.0);
  EXPECT_EQ(median_over_pairs(3, 0, f), 2.0);  // 1, 2, 3
  EXPECT_EQ(median_over_pairs(4, 0, f), 3.0);  // 1, 2, 3, 3, 4, 5
  const auto odd = [&](Index i, Index j) { return (i + j) % 2 == 1 ? f(i, j) : std::nan(""); };
  EXPECT_EQ(median_over_pairs(4, 0, odd), 3.0);  // 1, 3, 3, 5
  EXPECT_EQ(median_over_pairs(4, 0, [](Index, Index) { return std::nan(""); }), 0.0);
  EXPECT_EQ(median_over_pairs(5000, 7, f), median_over_pairs(5000, 7, f));
  EXPECT_NEAR(median_over_pairs(5000, 7, f), 5000.0, 20.0);
}

TEST(Kernel, IsCentredAsAskedWhereThatMeansAnything) {
  EXPECT_TRUE(centers(KernelKind::cosine, {}));
  EXPECT_FALSE(centers(KernelKind::cosine, false));
  EXPECT_FALSE(centers(KernelKind::linear, {}));
  EXPECT_TRUE(centers(KernelKind::linear, true));
  EXPECT_FALSE(centers(KernelKind::rbf, {}));
  EXPECT_TRUE(centers(KernelKind::rbf, true));
  EXPECT_TRUE(centers(KernelKind::projection, {}));
  EXPECT_THROW(centers(KernelKind::ridge, true), Error);
  EXPECT_THROW(centers(KernelKind::projection, false), Error);
}

}  // namespace
}  // namespace assay
