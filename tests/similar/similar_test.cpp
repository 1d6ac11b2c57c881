// Tests: similar/similar_models, similar/similar_report.
#include "assay/similar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "similar/arrange_models.h"
#include "similar/centred_kernel.h"
#include "similar/similar_report.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

// Song et al., Eq. 5: the unbiased HSIC of two kernels, term by term.
double unbiased_hsic(Matrix k, Matrix l) {
  const auto n = static_cast<double>(k.rows());
  k.diagonal().setZero();
  l.diagonal().setZero();
  return ((k * l).trace() + k.sum() * l.sum() / ((n - 1.0) * (n - 2.0)) -
          2.0 / (n - 2.0) * (k * l).sum()) /
         (n * (n - 3.0));
}

double debiased_cka(const Matrix& x, const Matrix& y) {  // n x D
  const Matrix k = x * x.transpose();
  const Matrix l = y * y.transpose();
  return unbiased_hsic(k, l) / std::sqrt(unbiased_hsic(k, k) * unbiased_hsic(l, l));
}

TEST(CentredKernel, GivesTheDebiasedCka) {
  const Matrix x = test::gaussian(30, 6, 1);
  const Matrix y = x.leftCols(4) + 0.7 * test::gaussian(30, 4, 2) + Matrix::Constant(30, 4, 50.0);
  const double found =
      static_cast<double>(centred_kernel(x.transpose()).dot(centred_kernel(y.transpose())));
  EXPECT_NEAR(found, debiased_cka(x, y.rowwise() - y.colwise().mean()), 1e-5);
}

TEST(CentredKernel, OfUnrelatedWideFeaturesIsNearZero) {
  double mean = 0.0;
  for (std::uint64_t k = 0; k < 20; ++k)
    mean += static_cast<double>(centred_kernel(test::gaussian(400, 40, 2 * k + 1))
                                    .dot(centred_kernel(test::gaussian(400, 40, 2 * k + 2)))) /
            20.0;
  EXPECT_NEAR(mean, 0.0, 0.03);  // the plain one is above 0.9
}

TEST(NearestNeighbours, AreThoseOfTheSmallestAngle) {
  Matrix x(2, 5);  // angles 0, 10, 25, 90, 100 degrees, of any length
  const std::vector<double> degrees = {0, 10, 25, 90, 100};
  for (Index i = 0; i < 5; ++i) {
    const double angle = degrees[static_cast<std::size_t>(i)] * M_PI / 180.0;
    x.col(i) = static_cast<double>(i + 1) * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  }
  EXPECT_EQ(nearest_neighbours(x, 1), (std::vector<Index>{1, 0, 1, 4, 3}));
  EXPECT_EQ(shared_neighbours({1, 2, 0, 2}, {1, 3, 0, 2}, 2), 0.75);
}

TEST(DiverseOrder, TakesOneOfEveryGroupFirst) {
  Matrix cka = Matrix::Identity(4, 4);
  cka(0, 1) = cka(1, 0) = 0.99;
  cka(2, 3) = cka(3, 2) = 0.98;
  cka(0, 2) = cka(2, 0) = 0.2;
  const std::vector<std::size_t> order = diverse_order(cka);
  ASSERT_EQ(order.size(), 4U);
  EXPECT_EQ(order[0] / 2 == order[1] / 2, false);
}

TEST(NearDuplicates, JoinIntoGroups) {
  Matrix cka = Matrix::Identity(4, 4);
  cka(0, 2) = cka(2, 0) = 0.97;
  cka(2, 3) = cka(3, 2) = 0.99;
  const std::vector<SimilarPair> pairs = near_duplicates(cka, cka, 0.95);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs.front().a, 2U);
  EXPECT_EQ(groups_of(pairs, 4), (std::vector<Index>{1, 0, 1, 1}));
}

// Points on a line keep their distances on the map: those of a Gram matrix of unit diagonal.
TEST(MapOf, KeepsDistances) {
  Matrix directions(3, 2);
  directions << 1, 0, std::cos(0.5), std::sin(0.5), std::cos(1.2), std::sin(1.2);
  const Matrix cka = directions * directions.transpose();
  const Matrix map = map_of(cka);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR((map.row(i) - map.row(j)).squaredNorm(), 2.0 - 2.0 * cka(i, j), 1e-10);
}

TEST(SimilarModels, NameRotatedCopies) {
  const Matrix x = test::gaussian(200, 6, 1);
  Matrix turn = Matrix::Identity(6, 6);
  for (Index j = 0; j < 5; ++j) {
    Matrix plane = Matrix::Identity(6, 6);
    plane(j, j) = plane(j + 1, j + 1) = std::cos(0.7);
    plane(j + 1, j) = std::sin(0.7);
    plane(j, j + 1) = -std::sin(0.7);
    turn = turn * plane;
  }
  SimilarRequest request;
  request.memory_limit = Index{1} << 30;
  request.hub.models = {{"copy", {}, {}, rows_of_matrix(3.0 * x * turn, "copy")},
                        {"noise", {}, {}, rows_of_matrix(test::gaussian(200, 9, 3), "noise")},
                        {"plain", {}, {}, rows_of_matrix(x, "plain")},
                        {"short", {}, {}, rows_of_matrix(x.topRows(9), "short")}};
  const SimilarResult result = similar_models(test::pool(), request, {});
  ASSERT_EQ(result.models.size(), 3U);
  EXPECT_EQ(result.failed.size(), 1U);
  EXPECT_NEAR(result.cka(0, 2), 1.0, 1e-5);
  EXPECT_NEAR(result.cka(1, 2), 0.0, 0.1);
  EXPECT_EQ(result.shared_neighbours(0, 2), 1.0);
  EXPECT_THAT(similar_verdict(result), HasSubstr("copy, plain"));
  EXPECT_THAT(similar_table(result), HasSubstr("10 neighbours shared"));
  EXPECT_EQ(similar_json(result).at("near_duplicates").size(), 1U);
  request.hub.models.resize(1);
  EXPECT_THAT(test::error_of([&] { similar_models(test::pool(), request, {}); }),
              HasSubstr("two models or more"));
}

}  // namespace
}  // namespace assay
