// Tests: linalg/gemm.
#include "linalg/gram.h"

#include <gtest/gtest.h>

#include "support.h"

namespace assay {
namespace {

using FloatMatrix = Eigen::MatrixXf;

Matrix lower(const Matrix& m) { return m.triangularView<Eigen::Lower>(); }

TEST(Gram, AddsOuterProductsToTheLowerTriangle) {
  for (const Index dim : {1, 7, 256, 300}) {  // one tile, a tile and a bit
    const Matrix x = test::gaussian(dim, 90, 1);
    Matrix gram = Matrix::Identity(dim, dim);
    const GramUpdate<double> update{x.data(), 90, &gram};
    add_to_grams(test::pool(), std::span(&update, 1));
    const Matrix expected = Matrix::Identity(dim, dim) + x * x.transpose();
    EXPECT_LT((lower(gram) - lower(expected)).norm(), 1e-12 * expected.norm()) << dim;
  }
}

TEST(Gram, FloatSamplesAreSummedInDouble) {
  const Matrix x = test::gaussian(270, 5000, 2);
  const FloatMatrix narrow = x.cast<float>();
  const Matrix wide = narrow.cast<double>();
  Matrix gram = Matrix::Zero(270, 270);
  const GramUpdate<float> update{narrow.data(), 5000, &gram};
  add_to_grams(test::pool(), std::span(&update, 1));
  const Matrix expected = wide * wide.transpose();
  EXPECT_LT((lower(gram) - lower(expected)).norm(), 1e-7 * expected.norm());
}

TEST(Gram, IsBitEqualForAnyNumberOfThreads) {
  const FloatMatrix x = test::gaussian(600, 700, 3).cast<float>();
  const auto with_threads = [&](int threads) {
    ThreadPool pool(threads);
    Matrix gram = Matrix::Zero(600, 600);
    const GramUpdate<float> update{x.data(), 700, &gram};
    add_to_grams(pool, std::span(&update, 1));
    return gram;
  };
  const Matrix alone = with_threads(1);
  EXPECT_TRUE(alone == with_threads(2));
  EXPECT_TRUE(alone == with_threads(5));
}

TEST(InnerProducts, AreOfColumnsOrOfRows) {
  const Matrix x = test::gaussian(7, 4, 5);
  EXPECT_LT((inner_products(x, true) - lower(x.transpose() * x)).norm(), 1e-13);
  EXPECT_LT((inner_products(x, false) - lower(x * x.transpose())).norm(), 1e-13);
  EXPECT_EQ(inner_products(Matrix(0, 3), true), Matrix::Zero(3, 3));
}

TEST(Product, TransposesWhatItIsTold) {
  const Matrix a = test::gaussian(4, 6, 1);
  const Matrix b = test::gaussian(4, 3, 2);
  EXPECT_LT((product(a, true, b, false) - a.transpose() * b).norm(), 1e-13);
  EXPECT_LT((product(a, false, a, true) - a * a.transpose()).norm(), 1e-13);
  EXPECT_EQ(product(Matrix(0, 3), true, Matrix(0, 2), false), Matrix::Zero(3, 2));
}

}  // namespace
}  // namespace assay
