#include "linalg/thin_product.h"

#include <gtest/gtest.h>

#include "support.h"

namespace assay {
namespace {

template <typename M>
M values(Index rows, Index cols, int seed) {
  return test::gaussian(rows, cols, seed).template cast<typename M::Scalar>();
}

// A block inside a larger matrix; compared in double.
template <typename M>
void expect_products(Index rows, Index columns, Index samples, double tolerance) {
  SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", " << samples);
  const M all = values<M>(rows, samples + 5, 1);
  const auto z = all.middleCols(3, samples);
  const M v = values<M>(rows, columns, 2);
  M projected;
  thin_project(v, z, projected);
  const Matrix expected = v.template cast<double>().transpose() * z.template cast<double>();
  ASSERT_EQ(projected.rows(), columns);
  EXPECT_LT((projected.template cast<double>() - expected).norm(), tolerance * expected.norm());

  const M u = values<M>(columns, samples, 3);
  const M before = values<M>(rows, columns, 4);
  M sum = before;
  thin_accumulate(z, u, sum);
  const Matrix total = before.template cast<double>() +
                       z.template cast<double>() * u.template cast<double>().transpose();
  EXPECT_LT((sum.template cast<double>() - total).norm(), tolerance * total.norm());
}

// Every remainder of the groups of columns and of the cache lines, odd and even numbers of samples.
TEST(ThinProduct, EqualsTheProductInDouble) {
  for (const Index rows : {1, 7, 8, 16, 31, 53}) {
    for (const Index columns : {1, 2, 3, 4, 5, 9, 10, 13}) {
      for (const Index samples : {1, 2, 7, 32}) {
        expect_products<FloatMatrix>(rows, columns, samples, 1e-6);
        expect_products<Matrix>(rows, columns, samples, 1e-14);
      }
    }
  }
}

TEST(ThinProduct, NoSamplesChangeNothing) {
  const FloatMatrix none(16, 0);
  FloatMatrix projected;
  thin_project(values<FloatMatrix>(16, 3, 1), none, projected);
  EXPECT_EQ(projected.cols(), 0);
  FloatMatrix sum = values<FloatMatrix>(16, 3, 2);
  thin_accumulate(none, FloatMatrix(3, 0), sum);
  EXPECT_EQ(sum, values<FloatMatrix>(16, 3, 2));
}

}  // namespace
}  // namespace assay
