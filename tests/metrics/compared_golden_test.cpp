// Tests: metrics/cka, metrics/gbc, metrics/ncti, metrics/sfda, against dense formulas in NumPy.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "assay/features.h"
#include "fixture.h"
#include "metrics/cka.h"
#include "metrics/gbc.h"
#include "metrics/make_problem.h"
#include "metrics/ncti.h"
#include "metrics/sfda.h"

namespace assay {
namespace {

class ComparedGolden : public testing::TestWithParam<std::string> {
 protected:
  ComparedGolden()
      : rows_(open_features(test::golden("transfer/" + GetParam() + "/F.npy"))),
        targets_(load_targets(test::golden("transfer/" + GetParam() + "/y.npy"))),
        values_(nlohmann::json::parse(std::ifstream(test::golden("compared.json")))[GetParam()]) {}

  Samples samples() const { return test::samples_of(test::matrix_of(*rows_), targets_.labels); }
  static void expect(double value, double trusted, double tolerance) {
    EXPECT_NEAR(value, trusted, tolerance * std::max(1.0, std::abs(trusted)));
  }

  Rows rows_;
  Targets targets_;
  nlohmann::json values_;
};

TEST_P(ComparedGolden, Alignment) {
  const Problem p = make_problem(test::pool(), *rows_, targets_, false, Index{1} << 30);
  expect(cka(p).value, values_["cka"], 1e-10);
}

TEST_P(ComparedGolden, Overlap) { expect(gbc(samples()).value, values_["gbc"], 1e-9); }

TEST_P(ComparedGolden, SelfChallenge) { expect(sfda(samples()).value, values_["sfda"], 1e-8); }

// With no more samples than components the discriminant divides by a shrinkage of 1e-10.
TEST_P(ComparedGolden, Collapse) {
  const Score score = ncti(samples());
  const double tolerance = score.flags.empty() ? 1e-8 : 1e-3;
  for (std::size_t k = 0; k < 3; ++k) expect(score.variants[k], values_["ncti"][k], tolerance);
}

INSTANTIATE_TEST_SUITE_P(Cases, ComparedGolden,
                         testing::Values("tall", "tall_pad", "wide", "imbalanced", "missing",
                                         "rankdef", "noise", "digits_pca16"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace assay
