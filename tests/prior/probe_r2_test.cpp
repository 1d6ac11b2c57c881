#include "prior/probe_r2.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <fstream>

#include "golden_tasks.h"
#include "prior/sample_tasks.h"

namespace assay {
namespace {

using test::dense;
using test::kernel_of;

PrincipalAxes axes_of(const Matrix& rows, bool unit_length = true) {
  return principal_axes(test::pool(), *rows_of_matrix(rows, "rows"), unit_length);
}

TaskPrior<double> prior_of_kernel(Kernel<double> kernel) {
  TaskPrior<double> prior;
  prior.kernels.push_back(std::move(kernel));
  return prior;
}

ProbeR2 share_of(const PrincipalAxes& axes, const TaskPrior<double>& prior,
                 RidgePenalty penalty = {}) {
  return probe_r2(test::pool(), axes, prior_image<double>(test::pool(), prior, axes.z), penalty);
}

Matrix unit_rows(Matrix x) {
  for (Index i = 0; i < x.rows(); ++i) x.row(i).normalize();
  return x;
}

// A ridge regression with an intercept fitted again without every row: targets n x c.
double refitted_r2(const Matrix& z, const Matrix& targets, double penalty) {
  const Index n = z.rows();
  double errors = 0.0;
  double total = 0.0;
  for (Index left = 0; left < n; ++left) {
    std::vector<Index> rest;
    for (Index i = 0; i < n; ++i)
      if (i != left) rest.push_back(i);
    const Matrix x = z(rest, Eigen::all);
    const Matrix y = targets(rest, Eigen::all);
    const Eigen::RowVectorXd y_mean = y.colwise().mean();
    // The columns of z are centred over all rows; the intercept takes up the rest's mean.
    Matrix design(n - 1, z.cols() + 1);
    design << x, Matrix::Ones(n - 1, 1);
    Matrix gram = design.transpose() * design;
    gram.diagonal().head(z.cols()).array() += penalty;
    const Matrix weights = gram.ldlt().solve(design.transpose() * y);
    Eigen::RowVectorXd one(z.cols() + 1);
    one << z.row(left), 1.0;
    errors += (targets.row(left) - one * weights).squaredNorm();
    total += (targets.row(left) - y_mean).squaredNorm();
  }
  return 1.0 - errors / total;
}

Matrix centred_columns(const Matrix& x) { return x.rowwise() - x.colwise().mean(); }

Matrix one_hot(const std::vector<Label>& labels, Index classes) {
  Matrix out = Matrix::Zero(static_cast<Index>(labels.size()), classes);
  for (std::size_t i = 0; i < labels.size(); ++i) out(static_cast<Index>(i), labels[i]) = 1.0;
  return out;
}

TEST(ProbeR2, EqualsTheGoldenValueOfRefits) {
  std::ifstream file(test::golden("probe_r2.json"));
  const nlohmann::json golden = nlohmann::json::parse(file);
  const PrincipalAxes axes = axes_of(test::matrix_of_json(golden.at("model")), false);
  const Matrix prior = test::matrix_of_json(golden.at("prior"));
  const ProbeR2 got = share_of(axes, prior_of_kernel(kernel_of<double>(prior, KernelKind::linear)));
  EXPECT_NEAR(got.penalty, golden.at("penalty").get<double>(), 1e-10 * got.penalty);
  EXPECT_NEAR(got.value, golden.at("value").get<double>(), 1e-11);
}

// Features, groups, distances and several at once; more and fewer dimensions than samples.
TEST(ProbeR2, EqualsRefitsForEveryKindOfPrior) {
  const Index n = 40;
  for (const Index dim : {6, 70}) {
    const Matrix x = test::gaussian(n, dim, 1);
    const Matrix p = x.leftCols(4) + 0.5 * test::gaussian(n, 4, 2);
    const PrincipalAxes axes = axes_of(x);
    const Matrix z = centred_columns(unit_rows(x));
    std::vector<Label> labels, views;
    for (Index i = 0; i < n; ++i) {
      labels.push_back(static_cast<Label>((i * i) % 5));
      views.push_back(static_cast<Label>(i / 2));
    }
    for (const double penalty : {axes.mean_eigenvalue(), 0.05}) {
      const RidgePenalty rule{RidgePenalty::Rule::value, penalty};
      const auto expect = [&](const TaskPrior<double>& prior, const Matrix& targets) {
        const double expected = refitted_r2(z, targets, penalty);
        const ProbeR2 got = share_of(axes, prior, rule);
        EXPECT_NEAR(got.value, std::max(expected, 0.0), 1e-10) << dim;
        EXPECT_EQ(got.clipped, expected < 0.0);
      };
      const Matrix zp = centred_columns(unit_rows(p));
      expect(prior_of_kernel(kernel_of<double>(p)), zp);
      TaskPrior<double> grouped;
      grouped.groupings.push_back(labels);
      expect(grouped, one_hot(labels, 5));
      grouped.groupings.front() = views;
      expect(grouped, one_hot(views, n / 2));
      // Not centred: the intercept takes the mean away all the same.
      expect(prior_of_kernel(kernel_of<double>(p, KernelKind::linear, false)), p);
      const Kernel<double> rbf = kernel_of<double>(p, KernelKind::rbf, false);
      expect(prior_of_kernel(rbf), dense(rbf).llt().matrixL().toDenseMatrix());
      TaskPrior<double> both = prior_of_kernel(kernel_of<double>(p));
      both.groupings.push_back(labels);
      Matrix targets(n, zp.cols() + 5);
      targets << zp, one_hot(labels, 5);
      expect(both, targets);
    }
  }
}

// What the formula stands for: tasks that are Gaussian with covariance K, many of them.
TEST(ProbeR2, IsTheShareOfVarianceOverSampledTasks) {
  const Index n = 60;
  const Matrix x = test::gaussian(n, 10, 3);
  const Matrix p = x.leftCols(5) + test::gaussian(n, 5, 4);
  const PrincipalAxes axes = axes_of(x);
  const Matrix tasks = centred_columns(unit_rows(p)) * test::gaussian(5, 4000, 5);
  const double expected = refitted_r2(centred_columns(unit_rows(x)), tasks, axes.mean_eigenvalue());
  EXPECT_NEAR(share_of(axes, prior_of_kernel(kernel_of<double>(p))).value, expected, 0.01);
}

// Over all labelings of six samples by two classes. Under the prior a labelling has the weight
// (1 + (w - mean w) / T) / 64 to first order in 1 / T, w = Tr(Y'KY): what that adds to the uniform
// law has the covariance K, but for the diagonal, which no labelling can feel.
TEST(ProbeR2, IsTheFirstOrderOfThePriorByEnumeration) {
  const Index n = 6;
  const Matrix x = test::gaussian(n, 3, 6);
  const Matrix z = centred_columns(unit_rows(x));
  const PrincipalAxes axes = axes_of(x);
  const double penalty = axes.mean_eigenvalue();
  const Matrix k = dense(kernel_of<double>(Matrix(x + 0.3 * test::gaussian(n, 3, 7))));
  Vector weight(64), error(64), total(64);
  for (unsigned code = 0; code < 64; ++code) {
    std::vector<Label> labels;
    for (unsigned i = 0; i < 6; ++i) labels.push_back(static_cast<Label>(code >> i & 1U));
    const Matrix y = one_hot(labels, 2);
    weight[code] = (y * y.transpose()).cwiseProduct(k).sum();
    const Matrix others = (y.colwise().sum().replicate(n, 1) - y) / static_cast<double>(n - 1);
    total[code] = (y - others).squaredNorm();
    error[code] = total[code] > 0.0 ? (1.0 - refitted_r2(z, y, penalty)) * total[code] : 0.0;
  }
  weight.array() -= weight.mean();
  Matrix off = k;
  off.diagonal().setZero();
  const Matrix factor = ridge_factor(axes, penalty);
  const Matrix m = factor.transpose() * factor;
  const Matrix h = Matrix::Identity(n, n) - Matrix::Constant(n, n, 1.0 / static_cast<double>(n));
  const Vector rest = ((h - m) * off * (h - m)).diagonal();
  const Vector kept = 1.0 - 1.0 / static_cast<double>(n) - m.diagonal().array();
  const double others = static_cast<double>(n) / static_cast<double>(n - 1);
  const double expected =
      rest.cwiseQuotient(kept.cwiseAbs2()).sum() / (others * others * (h * off * h).trace());
  EXPECT_NEAR(weight.dot(error) / weight.dot(total), expected, 1e-9);
}

// r is the numerical rank: columns of zeros or copies of all columns change nothing.
TEST(ProbeR2, IgnoresZeroAndDuplicateColumns) {
  const Matrix x = test::gaussian(50, 8, 1);
  const TaskPrior<double> prior =
      prior_of_kernel(kernel_of<double>(test::gaussian(50, 3, 2) + x.leftCols(3)));
  const double expected = share_of(axes_of(x), prior).value;
  Matrix padded = Matrix::Zero(50, 30);
  padded.leftCols(8) = x;
  EXPECT_NEAR(share_of(axes_of(padded), prior).value, expected, 1e-12);
  Matrix twice(50, 16);
  twice << x, x;
  EXPECT_NEAR(share_of(axes_of(twice), prior).value, expected, 1e-12);
  EXPECT_NEAR(share_of(axes_of(1e5 * x), prior).value, expected, 1e-12);
}

TEST(ProbeR2, IsHighForItselfAndClippedForNoise) {
  const Matrix x = test::gaussian(200, 5, 1);
  const TaskPrior<double> own = prior_of_kernel(kernel_of<double>(x));
  const RidgePenalty weak{RidgePenalty::Rule::value, 1e-6};
  EXPECT_GT(share_of(axes_of(x), own, weak).value, 0.999);
  const ProbeR2 noise = share_of(axes_of(test::gaussian(200, 150, 9)), own);
  EXPECT_EQ(noise.value, 0.0);
  EXPECT_TRUE(noise.clipped);
}

// `loo`: no other multiple of the mean eigenvalue among those tried does better.
TEST(ProbeR2, LeastErrorIsChosenOnRequest) {
  const Matrix x = test::gaussian(80, 30, 1);
  const TaskPrior<double> prior = prior_of_kernel(kernel_of<double>(Matrix(x.leftCols(6))));
  const PrincipalAxes axes = axes_of(x);
  const ProbeR2 best = share_of(axes, prior, {RidgePenalty::Rule::loo, 0.0});
  for (const double multiple : {1e-3, 0.1, 1.0, 10.0}) {
    const RidgePenalty rule{RidgePenalty::Rule::value, multiple * axes.mean_eigenvalue()};
    EXPECT_LE(share_of(axes, prior, rule).value, best.value + 1e-12);
  }
  EXPECT_GE(best.value, share_of(axes, prior).value);
}

TEST(ProbeR2, OfGroupsThatHoldAllSamplesExplainsNothing) {
  TaskPrior<double> prior;
  prior.groupings.push_back(std::vector<Label>(20, 0));
  const ProbeR2 got = share_of(axes_of(test::gaussian(20, 3, 1)), prior);
  EXPECT_EQ(got.value, 0.0);
  EXPECT_TRUE(got.clipped);
}

TEST(TaskR2, EqualsRefitsOfEveryTask) {
  const Index n = 45;
  const Matrix x = test::gaussian(n, 7, 1);
  const PrincipalAxes axes = axes_of(x);
  const Matrix z = centred_columns(unit_rows(x));
  for (const Index classes : {2, 4}) {
    SampleOptions options;
    options.classes = classes;
    options.tasks = 20;
    options.temperature = 2.0;
    const std::vector<Label> labels =
        sample_tasks(test::pool(), test::prior_of_factor(z.transpose()), options).labels;
    const Vector got = task_r2(test::pool(), axes, labels, classes, 0.7);
    for (Index b = 0; b < 20; ++b) {
      const std::vector<Label> own(labels.begin() + b * n, labels.begin() + (b + 1) * n);
      EXPECT_NEAR(got[b], refitted_r2(z, one_hot(own, classes), 0.7), 1e-10);
    }
  }
  EXPECT_TRUE(std::isnan(
      task_r2(test::pool(), axes, std::vector<Label>(static_cast<std::size_t>(n), 1), 2, 1.0)[0]));
}

TEST(ProbeR2, IsTheSameForAnyNumberOfThreads) {
  ThreadPool one(1);
  const Matrix x = test::gaussian(1200, 20, 1);
  const TaskPrior<double> prior =
      prior_of_kernel(kernel_of<double>(x + test::gaussian(1200, 20, 2)));
  const PrincipalAxes axes = axes_of(x);
  const PriorImage a = prior_image<double>(one, prior, axes.z);
  const PriorImage b = prior_image<double>(test::pool(), prior, axes.z);
  EXPECT_EQ(a.applied, b.applied);
  EXPECT_EQ(probe_r2(one, axes, a, {}).value, probe_r2(test::pool(), axes, b, {}).value);
}

}  // namespace
}  // namespace assay
