#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "assay/error.h"
#include "parts/model_moments.h"
#include "parts/moments_file.h"

namespace assay {
namespace {

// Deterministic numbers about `mean`, without a generator: they need only be in general position.
Matrix numbers(Index rows, Index cols, double mean) {
  Matrix out(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      out(i, j) = mean + std::sin(1.7 * static_cast<double>(i * cols + j) + 0.3 * double(j * j));
  return out;
}

std::vector<std::int64_t> labels(Index rows, Index classes) {
  std::vector<std::int64_t> out;
  for (Index i = 0; i < rows; ++i) out.push_back((i * i + i / 3) % classes);
  return out;
}

ModelMoments sums(ThreadPool& pool, const Matrix& x, const std::vector<std::int64_t>& y) {
  const Targets targets = targets_of_classes(y, "labels");
  std::vector<Index> folds;
  for (Index i = 0; i < x.rows(); ++i) folds.push_back(i % 4);
  return moments_of_rows(pool, *rows_of_matrix(x, "x"), targets, folds, 4);
}

void expect_near(const Moments& a, const Moments& b, double tolerance) {
  const auto near = [&](const auto& one, const auto& other) {
    EXPECT_LE((one - other).cwiseAbs().maxCoeff(), tolerance * (1.0 + other.cwiseAbs().maxCoeff()));
  };
  EXPECT_EQ(a.count, b.count);
  near(Matrix(a.gram.triangularView<Eigen::Lower>()),
       Matrix(b.gram.triangularView<Eigen::Lower>()));
  near(a.sum, b.sum);
  near(a.cross, b.cross);
  near(a.cubic, b.cubic);
  EXPECT_NEAR(a.fourth, b.fourth, tolerance * (1.0 + b.fourth));
  EXPECT_EQ(a.target_sum, b.target_sum);
  EXPECT_EQ(a.target_square, b.target_square);
}

// By the definition, row by row.
Moments by_hand(const Matrix& x, const std::vector<std::int64_t>& y, const Vector& shift,
                Index classes) {
  Moments out = empty_moments(shift, 1.0, classes);
  for (Index i = 0; i < x.rows(); ++i) {
    const Vector row = x.row(i).transpose() - shift;
    const Index c = y[static_cast<std::size_t>(i)];
    ++out.count;
    out.gram += row * row.transpose();
    out.sum += row;
    out.cross.col(c) += row;
    out.cubic += row.squaredNorm() * row;
    out.fourth += row.squaredNorm() * row.squaredNorm();
    out.target_sum[c] += 1.0;
    out.target_square[c] += 1.0;
  }
  return out;
}

TEST(Moments, ShiftedAreThoseAboutTheOtherShift) {
  const Matrix x = numbers(30, 5, 2.0);
  const std::vector<std::int64_t> y = labels(30, 3);
  const Vector from = Vector::LinSpaced(5, 1.0, 3.0);
  const Vector to = Vector::LinSpaced(5, -2.0, 2.5);
  const Moments moved = shifted(by_hand(x, y, from, 3), to);
  EXPECT_EQ(moved.shift, to);
  expect_near(moved, by_hand(x, y, to, 3), 1e-12);
}

TEST(Moments, OfPartsAddToThoseOfAllRows) {
  ThreadPool pool(2);
  const Matrix x = numbers(60, 5, 100.0);
  const std::vector<std::int64_t> y = labels(60, 3);
  const ModelMoments all = sums(pool, x, y);
  ModelMoments added = sums(pool, x.topRows(17), {y.begin(), y.begin() + 17});
  added += sums(pool, x.bottomRows(43), {y.begin() + 17, y.end()});
  EXPECT_EQ(added.rows(), 60);
  EXPECT_EQ(added.columns, all.columns);
  expect_near(shifted(added.total(), all.folds.front().shift), all.total(), 1e-10);
}

TEST(Moments, OfOtherClassesGetColumnsInTheOrderOfIds) {
  ThreadPool pool(1);
  const Matrix x = numbers(12, 3, 0.0);
  const std::vector<std::int64_t> y = {10, 9, 9, 10, 9, 10, 2, 100, 2, 100, 9, 2};
  ModelMoments added = sums(pool, x.topRows(6), {y.begin(), y.begin() + 6});
  added += sums(pool, x.bottomRows(6), {y.begin() + 6, y.end()});
  EXPECT_EQ(added.columns, (std::vector<std::string>{"2", "9", "10", "100"}));
  EXPECT_EQ(added.total().target_sum, (Vector(4) << 3.0, 4.0, 3.0, 2.0).finished());
}

TEST(MomentsFile, ComesBackToTheBitAndRefusesDamage) {
  ThreadPool pool(1);
  const Matrix x = numbers(24, 3, 1.0);
  MomentsFile file{"m", "digest", 30, 6, sums(pool, x, labels(24, 3))};
  const std::string bytes = moments_bytes(file);
  const MomentsFile again = moments_of_bytes(bytes, "file");
  EXPECT_EQ(moments_bytes(again), bytes);
  EXPECT_EQ(again.moments.folds.back().gram, file.moments.folds.back().gram);
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_THROW(moments_of_bytes(damaged, "file"), Error) << at;
    EXPECT_THROW(moments_of_bytes(bytes.substr(0, at), "file"), Error) << at;
  }
  file.total_rows = 20;
  EXPECT_THROW(moments_of_bytes(moments_bytes(file), "few"), Error);
  file.total_rows = std::numeric_limits<Index>::max();
  file.first_row = file.total_rows;  // and one more would overflow
  EXPECT_THROW(moments_of_bytes(moments_bytes(file), "many"), Error);
  file.total_rows = 30;
  file.first_row = 6;
  file.moments.folds[0].count = std::numeric_limits<Index>::max();
  EXPECT_THROW(moments_of_bytes(moments_bytes(file), "counts"), Error);
  file.moments.folds[0].count = 0;
  file.moments.folds[1].sum.conservativeResize(2);
  EXPECT_THROW(moments_of_bytes(moments_bytes(file), "shapes"), Error);
}

}  // namespace
}  // namespace assay
