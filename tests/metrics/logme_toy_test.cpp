// Tests: metrics/logme, metrics/laplace, on the toy data of Figure 6 (You et al., JMLR 2022).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "fixture.h"
#include "metrics/linear.h"
#include "metrics/logme.h"
#include "metrics/make_problem.h"

namespace assay {
namespace {

double toy_evidence(const Matrix& features, const Targets& targets) {
  const Rows rows = rows_of_matrix(features, "features");
  return logme(make_problem(test::pool(), *rows, targets, false, Index{1} << 30)).value;
}

Matrix toy_features(const Matrix& features) {
  Matrix out(features.rows(), features.cols() + 1);
  out << features, Vector::Ones(features.rows());
  return out;
}

// Three clusters in the plane, the same noise growing: both evidences fall.
TEST(LogmeToys, EvidenceOfClassesFallsAsNoiseGrows) {
  const Index rows = 240;
  Matrix plane = test::gaussian(rows, 2, 1);
  std::vector<Label> labels;
  for (Index i = 0; i < rows; ++i) {
    labels.push_back(static_cast<Label>(i % 3));
    const double angle = 2.0 * M_PI * static_cast<double>(i % 3) / 3.0;
    plane(i, 0) += 4.0 * std::cos(angle);
    plane(i, 1) += 4.0 * std::sin(angle);
  }
  const Matrix noise = test::gaussian(rows, 2, 2);
  double last_evidence = std::numeric_limits<double>::infinity();
  double last_laplace = std::numeric_limits<double>::infinity();
  for (const double t : {0.0, 1.0, 2.0, 3.0, 5.0}) {
    const Matrix features = toy_features(plane + t * noise);
    const double value = toy_evidence(features, test::class_targets(labels));
    const double approximate = laplace(test::samples_of(features, labels)).value;
    EXPECT_LT(value, last_evidence) << t;
    EXPECT_LT(approximate, last_laplace) << t;
    last_evidence = value;
    last_laplace = approximate;
  }
}

// y = 2x + 0.1 N(0, 1), features x + t N(0, 1): the evidence falls, and lies above that with the
// noise of y taken as 1 under any alpha, which is the paper's Laplace approximation of numbers.
TEST(LogmeToys, EvidenceOfNumbersFallsAsNoiseGrowsAndBeatsUnitNoise) {
  const Index rows = 150;
  Random random(3);
  Vector x(rows);
  for (double& one : x) one = random.uniform();
  const Vector y = 2.0 * x + 0.1 * test::gaussian(rows, 1, 4);
  const Matrix noise = test::gaussian(rows, 1, 5);
  double last = std::numeric_limits<double>::infinity();
  for (const double t : {0.0, 0.1, 0.2, 0.4, 0.6}) {
    const Matrix features = toy_features(x + t * noise.col(0));
    const double value = toy_evidence(features, test::value_targets(y));
    EXPECT_LT(value, last) << t;
    last = value;
    double unit = -std::numeric_limits<double>::infinity();
    for (double log_alpha = -8.0; log_alpha <= 8.0; log_alpha += 0.25)
      unit = std::max(unit, test::brute_force_evidence(features, y, std::exp(log_alpha), 1.0));
    EXPECT_LT(unit / static_cast<double>(rows), value) << t;
  }
}

}  // namespace
}  // namespace assay
