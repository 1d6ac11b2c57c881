// Every metric against values of independent programs (tests/golden/README.md).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "assay/features.h"
#include "metrics/hscore.h"
#include "metrics/leep.h"
#include "metrics/make_problem.h"
#include "metrics/pactran.h"
#include "metrics/transrate.h"
#include "support.h"

namespace assay {
namespace {

const nlohmann::json& golden_metrics() {
  static const nlohmann::json all =
      nlohmann::json::parse(std::ifstream(test::golden("transfer/metrics.json")));
  return all;
}

class MetricsGolden : public testing::TestWithParam<std::string> {
 protected:
  MetricsGolden()
      : folder_(test::golden("transfer/" + GetParam())),
        rows_(open_features(folder_ / "F.npy")),
        targets_(load_targets(folder_ / "y.npy")),
        values_(golden_metrics()[GetParam()]) {}

  Problem problem() const {
    return make_problem(test::pool(), *rows_, targets_, false, Index{1} << 30);
  }
  Samples samples() const {
    return {test::pool(), test::matrix_of(*rows_).transpose(), targets_.labels, 0};
  }
  Probabilities probabilities(const std::string& file) const {
    return make_probabilities(test::matrix_of(*open_features(folder_ / file)), targets_.labels);
  }
  void expect(double value, const std::string& key, double tolerance) const {
    const double trusted = values_[key];
    EXPECT_NEAR(value, trusted, tolerance * std::max(1.0, std::abs(trusted))) << key;
  }

  std::filesystem::path folder_;
  Rows rows_;
  Targets targets_;
  const nlohmann::json& values_;
};

TEST_P(MetricsGolden, HScores) {
  const Problem p = problem();
  expect(hscore(p).value, "hscore", 1e-9);
  const Score shrunk = hscore_shrunk(p);
  expect(shrunk.value, "hscore_shrunk", 1e-9);
  EXPECT_NEAR(shrunk.details.front().second, values_["shrinkage"].get<double>(), 1e-9);
}

// The same numbers when the intercept is taken out beforehand.
TEST_P(MetricsGolden, HScoresOfCenteredProblems) {
  const Problem p = make_problem(test::pool(), *rows_, targets_, true, Index{1} << 30);
  expect(hscore(p).value, "hscore", 1e-9);
  expect(hscore_shrunk(p).value, "hscore_shrunk", 1e-9);
}

TEST_P(MetricsGolden, OnSourceProbabilities) {
  const Probabilities source = probabilities("P.npy");
  expect(leep(source).value, "leep", 1e-12);
  expect(nce(source).value, "nce", 1e-12);
  expect(pactran_dirichlet(source).value, "pactran_dirichlet", 1e-9);
  expect(pactran_gamma(source).value, "pactran_gamma", 1e-9);
}

TEST_P(MetricsGolden, OnFixedMixturePosteriors) {
  const Probabilities source = probabilities("gmm.npy");
  expect(leep(source).value, "leep_gmm", 1e-9);
  expect(pactran_dirichlet(source).value, "pactran_dirichlet_gmm", 1e-9);
  expect(pactran_gamma(source).value, "pactran_gamma_gmm", 1e-9);
}

TEST_P(MetricsGolden, TransRate) { expect(transrate(samples()).value, "transrate", 1e-10); }

TEST_P(MetricsGolden, PactranGauss) {
  const Samples s = samples();
  for (const auto& [key, value] : values_["pactran_gauss"].items()) {
    double beta = 0.0;
    double variance = 0.0;
    ASSERT_EQ(std::sscanf(key.c_str(), "a=%lf b=%lf", &beta, &variance), 2);
    beta *= static_cast<double>(s.count());
    variance /= static_cast<double>(s.dim());
    const GaussianBound bound = gaussian_bound(s, beta);
    EXPECT_TRUE(bound.converged) << key;
    const double flatness = bound.flatness(beta, variance, s.classes(), s.dim());
    EXPECT_NEAR(bound.risk, value["rer"].get<double>(), 1e-9) << key;
    EXPECT_NEAR(flatness, value["fr"].get<double>(), 1e-7) << key;
    EXPECT_NEAR(bound.risk + flatness, value["value"].get<double>(), 1e-7) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, MetricsGolden,
                         testing::Values("tall", "tall_pad", "tall_dup", "wide", "rankdef",
                                         "imbalanced", "missing", "binary_scaled", "noise",
                                         "digits_raw", "digits_pca16"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace assay
