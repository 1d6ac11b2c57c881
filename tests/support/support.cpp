#include "support.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <fstream>
#include <numbers>
#include <numeric>

#include "assay/error.h"
#include "core/random.h"
#include "data/moments_pass.h"
#include "data/row_kernel.h"
#include "data/subset.h"

namespace assay::test {

std::filesystem::path golden(const std::string& relative) {
  return std::filesystem::path(ASSAY_TEST_DATA) / "golden" / relative;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = testing::TempDir() + "assay-test-XXXXXX";
  path_ = ::mkdtemp(pattern.data());
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

Matrix gaussian(Index rows, Index cols, std::uint64_t seed) {
  Random random(seed);
  Matrix values(rows, cols);
  for (double& value : values.reshaped()) value = random.normal();
  return values;
}

Targets class_targets(const std::vector<Label>& labels) {
  const std::vector<std::int64_t> ids(labels.begin(), labels.end());
  return targets_of_classes(ids, "labels");
}

Targets value_targets(const Matrix& values) {
  return targets_of_values(
      values, std::vector<std::string>(static_cast<std::size_t>(values.cols()), "y"), "targets");
}

Sample blobs(Index classes, Index per_class, Index dim, double spread, std::uint64_t seed) {
  const Matrix centres = gaussian(classes, dim, seed);
  Sample sample{spread * gaussian(classes * per_class, dim, seed + 1), {}};
  std::vector<Label> labels;
  for (Index i = 0; i < sample.features.rows(); ++i) {
    sample.features.row(i) += centres.row(i % classes);
    labels.push_back(static_cast<Label>(i % classes));
  }
  sample.targets = class_targets(labels);
  return sample;
}

Matrix matrix_of(const RowSource& rows) {
  std::vector<Index> all(static_cast<std::size_t>(rows.rows()));
  std::iota(all.begin(), all.end(), 0);
  Matrix columns(rows.cols(), rows.rows());
  rows.read(all, columns.data());
  return columns.transpose();
}

ThreadPool& pool() {
  static ThreadPool threads(2);
  return threads;
}

Problem primal_problem(const Matrix& features, const Targets& targets, bool center) {
  const std::vector<Index> buckets(static_cast<std::size_t>(features.rows()), 0);
  MomentsPass pass =
      accumulate_moments(pool(), *rows_of_matrix(features, "features"), targets, buckets, 1, {});
  return {std::move(pass.buckets.front()), center};
}

Problem dual_problem(const Matrix& features, const Targets& targets, bool center) {
  const Rows rows = rows_of_matrix(features, "features");
  RowKernel kernel = row_kernel(pool(), *rows, Index{1} << 32);
  std::vector<Index> all(static_cast<std::size_t>(features.rows()));
  std::iota(all.begin(), all.end(), 0);
  return {std::move(kernel), features.cols(), target_matrix(targets, all), center};
}

double brute_force_evidence(const Matrix& features, const Vector& y, double alpha, double beta) {
  const auto n = static_cast<double>(features.rows());
  const auto dim = static_cast<double>(features.cols());
  const Matrix a = alpha * Matrix::Identity(features.cols(), features.cols()) +
                   beta * features.transpose() * features;
  const Eigen::LLT<Matrix> factor(a);
  const Vector m = beta * factor.solve(features.transpose() * y);
  const double log_det = 2.0 * Matrix(factor.matrixL()).diagonal().array().log().sum();
  return 0.5 * n * std::log(beta) + 0.5 * dim * std::log(alpha) -
         0.5 * n * std::log(2.0 * std::numbers::pi) -
         0.5 * beta * (features * m - y).squaredNorm() - 0.5 * alpha * m.squaredNorm() -
         0.5 * log_det;
}

namespace {

// Largest L over beta at fixed t, by its closed form beta = n / q, evaluated through Eq. 2.
double profile(const Matrix& features, const Vector& y, double log_t) {
  const double t = std::exp(log_t);
  const Matrix regularised =
      features.transpose() * features + t * Matrix::Identity(features.cols(), features.cols());
  const Vector b = features.transpose() * y;
  const double q = y.squaredNorm() - b.dot(regularised.llt().solve(b));
  const double beta = static_cast<double>(y.size()) / q;
  return brute_force_evidence(features, y, t * beta, beta) / static_cast<double>(y.size());
}

double golden_section(const Matrix& features, const Vector& y, double low, double high) {
  const double ratio = (std::sqrt(5.0) - 1.0) / 2.0;
  for (int step = 0; step < 60; ++step) {
    const double a = high - ratio * (high - low);
    const double b = low + ratio * (high - low);
    (profile(features, y, a) > profile(features, y, b) ? high : low) =
        profile(features, y, a) > profile(features, y, b) ? b : a;
  }
  return profile(features, y, 0.5 * (low + high));
}

}  // namespace

double brute_force_logme(const Matrix& features, const Matrix& targets) {
  double sum = 0.0;
  for (Index c = 0; c < targets.cols(); ++c) {
    const Vector y = targets.col(c);
    double best = -1e300;
    double best_log_t = 0.0;
    for (double log_t = -16.0; log_t <= 20.0; log_t += 0.25) {
      const double value = profile(features, y, log_t);
      if (value > best) {
        best = value;
        best_log_t = log_t;
      }
    }
    sum += golden_section(features, y, best_log_t - 0.3, best_log_t + 0.3);
  }
  return sum / static_cast<double>(targets.cols());
}

}  // namespace assay::test
