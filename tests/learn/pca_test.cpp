// Tests: learn/centred_samples.
#include "learn/pca.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "fixture.h"

namespace assay {
namespace {

double orthonormality_error(const Pca& pca) {
  const Index k = pca.directions.cols();
  return (pca.directions.transpose() * pca.directions - Matrix::Identity(k, k)).norm();
}

// golden/gmm_em: scikit-learn 1.2.1, PCA(n_components=0.8) of the digits; Z is its transform.
TEST(Pca, AgreesWithScikitLearnOnDigits) {
  const Matrix digits = test::golden_samples("transfer/digits_raw/F.npy");
  const nlohmann::json expected =
      nlohmann::json::parse(std::ifstream(test::golden("gmm_em/gmm.json")));
  const Matrix z = test::golden_samples("gmm_em/Z.npy");
  const Pca pca = fit_pca(test::pool(), digits, 0.8);
  ASSERT_EQ(pca.variances.size(), expected["pca_dims"].get<Index>());
  EXPECT_NEAR(pca.explained, expected["explained_sum"].get<double>(), 1e-12);
  const double total = (digits.colwise() - digits.rowwise().mean()).squaredNorm() / 499.0;
  Matrix projected = pca.project(digits);
  for (Index k = 0; k < 12; ++k) {
    EXPECT_NEAR(pca.variances[k] / total, expected["explained"][static_cast<std::size_t>(k)],
                1e-12);
    if (projected.row(k).dot(z.row(k)) < 0.0) projected.row(k) *= -1.0;  // a sign is free
  }
  EXPECT_LT((projected - z).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT(orthonormality_error(pca), 1e-12);
}

// Zeros below the samples change nothing but the side: 60 samples of 40 features go by the
// covariance, of 70 by the kernel.
TEST(Pca, KernelAndCovarianceAgree) {
  const Matrix digits = test::golden_samples("transfer/digits_raw/F.npy");
  const Matrix lean = digits.block(10, 0, 40, 60);
  Matrix padded = Matrix::Zero(70, 60);
  padded.topRows(40) = lean;
  for (const double share : {0.5, 0.9, 0.999999}) {
    const Pca by_covariance = fit_pca(test::pool(), lean, share);
    const Pca by_kernel = fit_pca(test::pool(), padded, share);
    ASSERT_EQ(by_covariance.variances.size(), by_kernel.variances.size());
    EXPECT_LT((by_covariance.variances - by_kernel.variances).norm(), 1e-10);
    EXPECT_LT((by_covariance.project(lean) - by_kernel.project(padded)).norm(), 1e-8);
    EXPECT_LT(orthonormality_error(by_kernel), 1e-12);
  }
}

// Variances 4 : 3 : 2 : 1 by construction; scikit-learn takes the first count whose sum is more
// than the share, so 0.41 needs two directions and 0.39 one.
TEST(Pca, TakesTheFewestDirectionsThatExplainMoreThanTheShare) {
  Matrix x = Matrix::Zero(4, 8);
  for (Index j = 0; j < 4; ++j) {
    x(j, 2 * j) = std::sqrt(static_cast<double>(4 - j));
    x(j, 2 * j + 1) = -x(j, 2 * j);
  }
  EXPECT_EQ(fit_pca(test::pool(), x, 0.39).variances.size(), 1);
  EXPECT_EQ(fit_pca(test::pool(), x, 0.41).variances.size(), 2);
  EXPECT_EQ(fit_pca(test::pool(), x, 0.69).variances.size(), 2);
  EXPECT_EQ(fit_pca(test::pool(), x, 0.95).variances.size(), 4);
  const Pca all = fit_pca(test::pool(), x, 1.0);
  EXPECT_EQ(all.variances.size(), 4);
  EXPECT_DOUBLE_EQ(all.explained, 1.0);
  EXPECT_NEAR(all.variances[0], 2.0 * 4.0 / 7.0, 1e-14);
  EXPECT_LT((all.directions - Matrix::Identity(4, 4)).norm(), 1e-14);  // signs positive
}

TEST(Pca, CountsOnlyDirectionsThatAreThere) {
  const Matrix basis = test::gaussian(50, 3, 5);
  for (const Index n : {20, 200}) {  // kernel, covariance
    const Matrix x = basis * test::gaussian(3, n, 6);
    const Pca pca = fit_pca(test::pool(), x, 1.0);
    EXPECT_EQ(pca.variances.size(), 3) << n;
    EXPECT_LT(orthonormality_error(pca), 1e-12);
    EXPECT_NEAR(pca.project(x).squaredNorm(), (x.colwise() - x.rowwise().mean()).squaredNorm(),
                1e-9 * x.squaredNorm());
  }
}

TEST(Pca, HasNoDirectionsWithoutVariance) {
  for (const Index n : {1, 2, 5, 100}) {
    const Matrix constant = Matrix::Constant(7, n, 0.1);  // not a binary fraction
    const Pca pca = fit_pca(test::pool(), constant, 0.8);
    EXPECT_EQ(pca.directions.rows(), 7);
    EXPECT_EQ(pca.directions.cols(), 0);
    EXPECT_EQ(pca.explained, 0.0);
    EXPECT_EQ(pca.project(constant).rows(), 0);
    EXPECT_EQ(pca.project(constant).cols(), n);
  }
}

TEST(Pca, KeepsItsDigitsFarFromTheOrigin) {
  const Matrix x = test::gaussian(6, 300, 8);
  const Matrix far = x.array() + 1e6;
  const Pca near = fit_pca(test::pool(), x, 0.8);
  const Pca away = fit_pca(test::pool(), far, 0.8);
  EXPECT_LT((near.variances - away.variances).norm(), 1e-8);
  EXPECT_LT((near.project(x) - away.project(far)).norm(), 1e-6);
}

TEST(Pca, IsBitEqualForAnyNumberOfThreads) {
  for (const Index n : {300, 1000}) {
    const Matrix x = test::gaussian(400, n, 9);
    ThreadPool one(1);
    ThreadPool two(2);
    const Pca a = fit_pca(one, x, 0.8);
    const Pca b = fit_pca(two, x, 0.8);
    EXPECT_TRUE(a.directions == b.directions);
    EXPECT_TRUE(a.variances == b.variances);
  }
}

}  // namespace
}  // namespace assay
