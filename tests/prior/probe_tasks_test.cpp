#include "prior/probe_tasks.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <utility>
#include <vector>

#include "core/random.h"
#include "support.h"

namespace assay {
namespace {

// Ridge regression with an intercept by normal equations on the same split, row by row.
Vector plain_ridge(const Matrix& features, const std::vector<Label>& labels, Index classes,
                   double penalty, const ProbeTasksOptions& options) {
  const Index n = features.rows();
  const std::vector<Index> order = Random(options.seed).permutation(n);
  const auto test = static_cast<Index>(std::llround(options.test_share * static_cast<double>(n)));
  const std::vector<Index> held(order.begin(), order.begin() + test);
  const std::vector<Index> used(order.begin() + test, order.end());
  Matrix x = features(used, Eigen::all);
  Matrix t = features(held, Eigen::all);
  const Vector mean = x.colwise().mean();
  const Vector sd =
      ((x.rowwise() - mean.transpose()).colwise().squaredNorm() / static_cast<double>(x.rows()))
          .cwiseSqrt();
  x = (x.rowwise() - mean.transpose()) * sd.cwiseInverse().asDiagonal();
  t = (t.rowwise() - mean.transpose()) * sd.cwiseInverse().asDiagonal();
  Matrix gram = x.transpose() * x;
  gram.diagonal().array() += penalty;
  const Index tasks = static_cast<Index>(labels.size()) / n;
  Vector out(tasks);
  for (Index task = 0; task < tasks; ++task) {
    Matrix y = Matrix::Zero(x.rows(), classes);
    for (Index i = 0; i < x.rows(); ++i)
      y(i, labels[static_cast<std::size_t>(task * n + used[static_cast<std::size_t>(i)])]) = 1.0;
    const Vector share = y.colwise().mean();
    const Matrix weights = gram.ldlt().solve(x.transpose() * (y.rowwise() - share.transpose()));
    const Matrix scores = (t * weights).rowwise() + share.transpose();
    Index right = 0;
    for (Index i = 0; i < t.rows(); ++i) {
      Index best = 0;
      scores.row(i).maxCoeff(&best);
      right +=
          best == labels[static_cast<std::size_t>(task * n + held[static_cast<std::size_t>(i)])];
    }
    out[task] = static_cast<double>(right) / static_cast<double>(t.rows());
  }
  return out;
}

std::vector<Label> random_tasks(Index tasks, Index n, Index classes, const Matrix& features) {
  std::vector<Label> out;
  for (Index task = 0; task < tasks; ++task) {
    const Matrix w = test::gaussian(features.cols(), classes, static_cast<std::uint64_t>(task));
    const Matrix scores = features * w;
    for (Index i = 0; i < n; ++i) {
      Index best = 0;
      scores.row(i).maxCoeff(&best);
      out.push_back(static_cast<Label>(best));
    }
  }
  return out;
}

TEST(ProbeTasks, RidgeEqualsNormalEquations) {
  for (const Index dim : {6, 150}) {
    const Matrix x = test::gaussian(120, dim, 2);
    const std::vector<Label> labels = random_tasks(20, 120, 3, x.leftCols(6));
    ProbeTasksOptions options;
    options.seed = 5;
    const TaskAccuracies got = probe_tasks(test::pool(), x.transpose(), labels, 3, options);
    EXPECT_GT(got.penalty, 0.0);
    EXPECT_LT((got.accuracy - plain_ridge(x, labels, 3, got.penalty, options)).norm(), 1e-12);
  }
}

TEST(ProbeTasks, LearnsWhatIsLinearAndNotWhatIsNot) {
  const Matrix x = test::gaussian(400, 8, 1);
  std::vector<Label> linear = random_tasks(10, 400, 2, x);
  std::vector<Label> noise = linear;
  Random random(3);
  random.shuffle(noise);
  for (const TaskProbe probe : {TaskProbe::ridge, TaskProbe::logistic}) {
    ProbeTasksOptions options;
    options.probe = probe;
    EXPECT_GT(probe_tasks(test::pool(), x.transpose(), linear, 2, options).accuracy.mean(), 0.9);
    EXPECT_NEAR(probe_tasks(test::pool(), x.transpose(), noise, 2, options).accuracy.mean(), 0.5,
                0.1);
  }
}

// Constant features, a class that one side of the split lacks, two rows: finite all the same.
TEST(ProbeTasks, SurvivesHostileData) {
  for (const TaskProbe probe : {TaskProbe::ridge, TaskProbe::logistic}) {
    ProbeTasksOptions options;
    options.probe = probe;
    const Matrix constant = Matrix::Ones(3, 20);
    std::vector<Label> labels(20, 0);
    labels[7] = 2;
    const Vector a = probe_tasks(test::pool(), constant, labels, 3, options).accuracy;
    EXPECT_GE(a[0], 0.8);
    const Vector b =
        probe_tasks(test::pool(), test::gaussian(5, 2, 1), {0, 1}, 2, options).accuracy;
    EXPECT_TRUE(b[0] == 0.0 || b[0] == 1.0);
  }
}

// Random labels: accuracies differ by what is tested alone. Half of the tasks learnable: the spread
// between the halves is the tasks' own.
TEST(ProbeTasks, TellTheSpreadOfTasksFromThatOfTests) {
  const Index n = 400;
  const Matrix x = test::gaussian(n, 8, 1);
  Random random(3);
  std::vector<Label> noise(static_cast<std::size_t>(1000 * n));
  for (Label& label : noise) label = static_cast<Label>(random.below(2));
  const auto spread = [&](const std::vector<Label>& labels) {
    const TaskAccuracies got = probe_tasks(test::pool(), x.transpose(), labels, 2, {});
    const Vector centred = got.accuracy.array() - got.accuracy.mean();
    return std::pair(centred.squaredNorm() / static_cast<double>(centred.size() - 1),
                     got.test_noise);
  };
  const auto [all, tests] = spread(noise);
  EXPECT_NEAR(tests, 0.25 / 100.0, 1e-4);  // a hundred rows are tested, half of them passed
  EXPECT_NEAR(all, tests, 0.2 * tests);    // four deviations of a variance from 1000 tasks
  std::vector<Label> half = random_tasks(500, n, 2, x);
  half.insert(half.end(), noise.begin(), noise.begin() + 500 * n);
  const auto [mixed, mixed_tests] = spread(half);
  EXPECT_LT(mixed_tests, 0.25 / 100.0);
  EXPECT_NEAR(mixed - mixed_tests, 0.25 * 0.47 * 0.47, 0.01);  // learnable ones: 0.97
}

// Rows that are easy in every task are no noise of the spread over tasks: the first half of the
// features tells the task, the other rows are coins.
TEST(ProbeTasks, NoiseOfTestsLeavesOutRowsThatAreAlwaysEasy) {
  const Index n = 400;
  Matrix x = Matrix::Zero(n, 2);
  Random random(4);
  std::vector<Label> labels;
  for (Index i = 0; i < n; ++i) x(i, 0) = i % 2 == 0 ? (i % 4 == 0 ? 1.0 : -1.0) : 0.0;
  x.col(1) = x.col(0);
  for (Index task = 0; task < 500; ++task) {
    for (Index i = 0; i < n; ++i) {
      const bool known = i % 2 == 0;
      labels.push_back(known ? static_cast<Label>(i % 4 == 0)
                             : static_cast<Label>(random.below(2)));
    }
  }
  const TaskAccuracies got = probe_tasks(test::pool(), x.transpose(), labels, 2, {});
  EXPECT_NEAR(got.accuracy.mean(), 0.75, 0.02);
  // A binomial with 0.75 would say 0.19 / 100; half of the rows are certain: 0.25 / 2 / 100.
  EXPECT_NEAR(got.test_noise, 0.125 / 100.0, 1e-4);
}

TEST(ProbeTasks, IsTheSameForAnyNumberOfThreads) {
  ThreadPool one(1);
  const Matrix x = test::gaussian(200, 10, 1);
  const std::vector<Label> labels = random_tasks(12, 200, 3, x.leftCols(3));
  const TaskAccuracies a = probe_tasks(one, x.transpose(), labels, 3, {});
  const TaskAccuracies b = probe_tasks(test::pool(), x.transpose(), labels, 3, {});
  EXPECT_EQ(a.accuracy, b.accuracy);
  EXPECT_EQ(a.penalty, b.penalty);
}

TEST(ChanceAccuracy, IsTheMeanShareOfTheCommonestClass) {
  EXPECT_DOUBLE_EQ(chance_accuracy({0, 0, 0, 1, 1, 0, 1, 0}, 4, 2), 0.625);
}

}  // namespace
}  // namespace assay
