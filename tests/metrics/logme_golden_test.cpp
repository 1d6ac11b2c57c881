#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "assay/features.h"
#include "io/npy.h"
#include "metrics/logme.h"
#include "metrics/make_problem.h"
#include "support.h"

namespace assay {
namespace {

const nlohmann::json& expected() {
  static const nlohmann::json all =
      nlohmann::json::parse(std::ifstream(test::golden("transfer/logme.json")));
  return all;
}

class LogmeGolden : public testing::TestWithParam<std::string> {
 protected:
  LogmeGolden()
      : folder_(test::golden("transfer/" + GetParam())),
        rows_(open_features(folder_ / "F.npy")),
        targets_(load_targets(folder_ / (GetParam() == "regression" ? "Y.npy" : "y.npy"))),
        values_(expected()[GetParam()]) {}

  std::filesystem::path folder_;
  Rows rows_;
  Targets targets_;
  const nlohmann::json& values_;
};

TEST_P(LogmeGolden, AgreesWithFortyDigitArithmetic) {
  const Problem problem = make_problem(test::pool(), *rows_, targets_, false, Index{1} << 30);
  const double value = values_["logme"];
  EXPECT_NEAR(logme(problem).value, value, 1e-9 * std::abs(value));
}

TEST_P(LogmeGolden, FindsTheSameOptimumInEveryColumn) {
  const Problem problem = make_problem(test::pool(), *rows_, targets_, false, Index{1} << 30);
  const Reduced& reduced = problem.reduced();
  EXPECT_EQ(reduced.rank, values_["rank"].get<Index>());
  const std::vector<EvidenceColumn> columns = maximize_evidence(reduced, problem.active());
  ASSERT_EQ(columns.size(), values_["t"].size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    EXPECT_NEAR(columns[c].value, values_["value"][c].get<double>(), 1e-9) << "column " << c;
    EXPECT_EQ(columns[c].theorem2, values_["theorem2"][c].get<bool>()) << "column " << c;
    if (values_["t"][c].is_null()) {
      EXPECT_EQ(columns[c].kind, EvidenceCase::uninformative) << "column " << c;
      continue;
    }
    EXPECT_NEAR(columns[c].t / values_["t"][c].get<double>(), 1.0, 1e-6) << "column " << c;
    EXPECT_NEAR(columns[c].alpha / values_["alpha"][c].get<double>(), 1.0, 1e-6) << "column " << c;
    EXPECT_NEAR(columns[c].beta / values_["beta"][c].get<double>(), 1.0, 1e-6) << "column " << c;
  }
}

TEST_P(LogmeGolden, KeepsTheSamePosteriorMeans) {
  const Problem problem = make_problem(test::pool(), *rows_, targets_, false, Index{1} << 30);
  const LogmeFit fit = fit_logme(problem, *rows_);
  const Rows means = open_features(folder_ / "m.npy");  // C x D
  ASSERT_EQ(means->rows(), fit.weights.cols());
  ASSERT_EQ(means->cols(), fit.weights.rows());
  for (Index c = 0; c < fit.weights.cols(); ++c) {
    Vector m(means->cols());
    means->read({&c, 1}, m.data());
    EXPECT_LT((fit.weights.col(c) - m).norm(), 1e-6 * (1.0 + m.norm())) << "column " << c;
  }
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& [name, unused] : expected().items()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, LogmeGolden, testing::ValuesIn(cases()),
                         [](const auto& row) { return row.param; });

// The widely copied script leaves out D - min(n, D) terms of log|A| where n < D; ours must not.
TEST(LogmeGoldenContrast, DiffersFromThePublicCodeWhereThatIsWrong) {
  EXPECT_GT(std::abs(expected()["wide"]["public_code"].get<double>() -
                     expected()["wide"]["logme"].get<double>()),
            0.1);
}

}  // namespace
}  // namespace assay
