// Tests: tune/teacher_table.
#include "tune/teacher_predictions.h"

#include <gtest/gtest.h>

#include "support.h"

namespace assay {
namespace {

using test::gaussian;

constexpr Index kImages = 300;
constexpr Index kViews = 2;
constexpr Index kWidth = 5;

// Every third image is not learnt from.
std::vector<Index> learnt_rows() {
  std::vector<Index> rows;
  for (Index i = 0; i < kImages; ++i)
    if (i % 3 != 0) rows.push_back(i);
  return rows;
}

class TeacherPredictionsTest : public testing::Test {
 protected:
  std::shared_ptr<const TeacherPredictions> predicted(const Matrix& m) const {
    return std::make_shared<const TeacherPredictions>(predict_views(
        test::pool(), *source_, rows_, kViews, m.cols(),
        [&](const Matrix& samples, Index /*first*/) { return Matrix(m.transpose() * samples); }));
  }

  Matrix features_ = gaussian(kImages * kViews, kWidth, 1);
  Rows source_ = rows_of_matrix(features_, "f");
  std::vector<Index> rows_ = learnt_rows();
};

TEST_F(TeacherPredictionsTest, AreKeptInHalfPrecisionForTheRowsToLearnFrom) {
  const Matrix m = gaussian(kWidth, 3, 2);
  const auto found = predicted(m);
  EXPECT_EQ(static_cast<Index>(found->halves.size()) * 2,
            prediction_bytes(std::ssize(rows_), kViews, 3));
  const TeacherTable table = mixed_table({{found, 1.0}});
  const std::vector<BatchRow> batch = {{299, 1}, {1, 0}, {4, 1}};
  const Matrix values = table.read(batch);
  ASSERT_EQ(values.rows(), 3);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Vector expected =
        m.transpose() * features_.row(batch[i].row * kViews + batch[i].view).transpose();
    EXPECT_LT((values.col(static_cast<Index>(i)) - expected).norm(), 1e-3 * expected.norm());
  }
}

TEST_F(TeacherPredictionsTest, AreMixedByWeight) {
  const auto a = predicted(gaussian(kWidth, 3, 2));
  const auto b = predicted(gaussian(kWidth, 3, 3));
  const std::vector<BatchRow> batch = {{1, 0}, {298, 1}};
  const Matrix mixed = mixed_table({{a, 0.25}, {b, 0.75}}).read(batch);
  const Matrix expected =
      0.25 * mixed_table({{a, 1.0}}).read(batch) + 0.75 * mixed_table({{b, 1.0}}).read(batch);
  EXPECT_LT((mixed - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST_F(TeacherPredictionsTest, TellThePredictorWhichRowsItSees) {
  Vector seen = Vector::Zero(std::ssize(rows_));
  predict_views(test::pool(), *source_, rows_, kViews, 1, [&](const Matrix& samples, Index first) {
    for (Index k = 0; k < samples.cols() / kViews; ++k) {
      const Index row = rows_[static_cast<std::size_t>(first + k)];
      seen[first + k] += samples.col(k * kViews) == features_.row(row * kViews).transpose() ? 1 : 5;
    }
    return Matrix(Matrix::Zero(1, samples.cols()));
  });
  EXPECT_EQ(seen, Vector::Ones(seen.size()));
}

TEST_F(TeacherPredictionsTest, FeaturesAreReadInTheOrderOfTheBatch) {
  const TeacherTable table = feature_table(source_, rows_, kViews);
  double squares = 0.0;
  for (const Index row : rows_) squares += features_.middleRows(row * kViews, kViews).squaredNorm();
  EXPECT_NEAR(table.mean_square, squares / static_cast<double>(std::ssize(rows_) * kViews), 1e-9);
  const std::vector<BatchRow> batch = {{299, 0}, {1, 1}, {200, 0}};
  const Matrix values = table.read(batch);
  for (std::size_t i = 0; i < batch.size(); ++i)
    EXPECT_EQ(values.col(static_cast<Index>(i)),
              features_.row(batch[i].row * kViews + batch[i].view).transpose());
  // In memory the same.
  const TeacherTable held(features_.transpose().cast<float>(), kViews);
  EXPECT_LT((held.read(batch) - values).cwiseAbs().maxCoeff(), 1e-6);
}

}  // namespace
}  // namespace assay
