#include "curve/choose_l2.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "core/random.h"
#include "curve/probes.h"
#include "linalg/eigen.h"
#include "linalg/gram.h"
#include "support.h"

namespace assay {
namespace {

struct Regression {
  Matrix x;  // D x n, centred
  Matrix y;  // n x C, centred
  RidgeRows rows;
};

Regression regression(Index n, Index dim) {
  Regression out{test::gaussian(dim, n, 3), test::gaussian(n, 2, 4), {}};
  out.y.col(0) += out.x.row(0).transpose();
  out.x.colwise() -= out.x.rowwise().mean().eval();
  out.y.rowwise() -= out.y.colwise().mean().eval();
  const SymmetricEigen eigen = symmetric_eigen(product(out.x, false, out.x, true));
  out.rows.spectrum = eigen.values;
  out.rows.z = product(eigen.vectors, true, out.x, false);
  out.rows.projected = product(out.rows.z, false, out.y, false);
  return out;
}

// Ridge with a free intercept, fitted again without each group: the long way.
double squares_without(const Regression& data, double l2, const std::vector<Label>& groups) {
  double squares = 0.0;
  for (Label group = 0; group <= *std::ranges::max_element(groups); ++group) {
    std::vector<Index> in;
    std::vector<Index> out;
    for (std::size_t i = 0; i < groups.size(); ++i)
      (groups[i] == group ? out : in).push_back(static_cast<Index>(i));
    Matrix x = data.x(Eigen::all, in);
    Matrix y = data.y(in, Eigen::all);
    const Vector centre = x.rowwise().mean();
    const Eigen::RowVectorXd mean = y.colwise().mean();
    x.colwise() -= centre;
    y.rowwise() -= mean;
    Matrix gram = x * x.transpose();
    gram.diagonal().array() += l2;
    const Matrix w = Eigen::LLT<Matrix>(gram).solve(x * y);
    const Matrix left = data.x(Eigen::all, out).colwise() - centre;
    const Matrix fitted = (left.transpose() * w).rowwise() + mean;
    squares += (data.y(out, Eigen::all) - fitted).squaredNorm();
  }
  return squares;
}

// No penalty near the one chosen does better when all fits are made again.
void expect_best(const Regression& data, double chosen, const std::vector<Label>& groups) {
  const double least = squares_without(data, chosen, groups);
  for (const double factor : {0.2, 0.5, 2.0, 5.0})
    EXPECT_LE(least, 1.0001 * squares_without(data, factor * chosen, groups)) << factor;
}

TEST(ChooseRidgeL2, HasTheLeastSquaresOfRowsLeftOut) {
  const Regression data = regression(40, 12);
  std::vector<Label> each(40);
  std::vector<Label> fours(40);
  for (Label i = 0; i < 40; ++i) {
    each[static_cast<std::size_t>(i)] = i;
    fours[static_cast<std::size_t>(i)] = i / 4;
  }
  const double alone = choose_ridge_l2(data.rows, data.y, {});
  expect_best(data, alone, each);
  EXPECT_NEAR(choose_ridge_l2(data.rows, data.y, each), alone, 1e-6 * alone);
  expect_best(data, choose_ridge_l2(data.rows, data.y, fours), fours);
}

TEST(ChooseRidgeL2, TakesAnythingWhereThereIsNothingToChooseBy) {
  EXPECT_GT(choose_ridge_l2({Matrix(0, 1), Vector(0), Matrix(0, 1)}, Matrix::Zero(1, 1), {}), 0.0);
}

// Labels that are noise want a strong penalty, classes far apart a weak one.
TEST(ChooseLogisticL2, FollowsTheData) {
  const auto chosen = [](double apart, Index n) {
    ProbeData data{.train = test::gaussian(10, n, 7)};
    Random random(2);
    for (Index i = 0; i < n; ++i) {
      const auto label = static_cast<Label>(random.below(3));
      data.train_labels.push_back(label);
      data.train(label, i) += apart;
    }
    data.classes = 3;
    std::vector<Index> rows;
    for (Index i = 0; i < n; ++i) rows.push_back(i);
    const ProbeOutcome out = run_probe(test::pool(), data, rows, {}, 0, rows);
    EXPECT_TRUE(out.converged);
    return *out.l2;
  };
  EXPECT_GT(chosen(0.0, 120), 20.0 * chosen(4.0, 120));
  EXPECT_GT(chosen(0.0, 120), 30.0);
  for (const Index few : {1, 2, 3}) EXPECT_GT(chosen(1.0, few), 0.0);
}

// What is chosen does well on rows that were not seen, next to any penalty given.
TEST(ChooseLogisticL2, IsNearTheBestPenaltyForRowsNotSeen) {
  ProbeData data{.train = test::gaussian(30, 2150, 11)};
  Random random(5);
  for (Index i = 0; i < 2150; ++i) {
    const auto label = static_cast<Label>(random.below(4));
    data.train_labels.push_back(label);
    data.train(label, i) += 1.5;
  }
  data.classes = 4;
  std::vector<Index> rows;
  std::vector<Index> judges;
  for (Index i = 0; i < 2150; ++i) (i < 150 ? rows : judges).push_back(i);
  const double own = run_probe(test::pool(), data, rows, {}, 0, judges).loss;
  double best = INFINITY;
  for (const double l2 : {0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0})
    best = std::min(best, run_probe(test::pool(), data, rows, {.l2 = l2}, 0, judges).loss);
  EXPECT_LT(own, best + 0.03);
}

}  // namespace
}  // namespace assay
