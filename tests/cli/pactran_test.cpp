// Tests: rank/settings_table.
// The options of PACTran's bounds, its appendix B.5, and unnormalised source weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "io/npy.h"
#include "run_command.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::write_text;
using testing::HasSubstr;

class PactranOptions : public test::HubTest {
 protected:
  // Eq. 14's flatness of the first model.
  double flatness(Words options) const {
    options.insert(options.begin(), {"--metric", "pactran_gauss", "--ci", "0"});
    return rank_json(hub_ / "good.npy", labels_, options)
        .at("models")[0]
        .at("scores")
        .at("pactran_gauss")
        .at("fr");
  }
};

// FR is proportional to sigma0^2 at a given beta, and lambda = beta / sigma0^2.
TEST_F(PactranOptions, OfTheGaussianAreItsBetaAndVariance) {
  const double usual = flatness({});
  EXPECT_DOUBLE_EQ(flatness({"--pactran-beta", "10", "--pactran-sigma2", "100"}), usual);
  EXPECT_NEAR(flatness({"--pactran-sigma2", "25"}), 0.25 * usual, 1e-12);
  // sigma0^2 = beta / lambda = 10 N / (L N): with L = D / 10 that is 100 / D.
  EXPECT_NEAR(flatness({"--pactran-lambda", std::to_string(test::kDim / 10.0)}), usual, 1e-12);
  EXPECT_NEAR(
      flatness({"--pactran-lambda", std::to_string(test::kDim / 10.0), "--pactran-sigma2", "100"}),
      usual, 1e-12);
}

TEST_F(PactranOptions, AreCheckedAndTheThreeOfTheGaussianAreTooMany) {
  for (const char* option :
       {"--pactran-alpha", "--pactran-beta", "--pactran-sigma2", "--pactran-lambda"}) {
    const CommandResult result = rank({option, "0"});
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_THAT(result.err, HasSubstr(std::string(option) + ": expected a positive number"));
  }
  const CommandResult result =
      rank({"--pactran-beta", "1", "--pactran-sigma2", "1", "--pactran-lambda", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("give two of"));
}

TEST_F(PactranOptions, EverySettingIsShownWithItsPartsAndTheTruth) {
  write_text(file("truth.csv"), "name,accuracy\ngood,0.9\nfair,0.7\npoor,0.4\n");
  const Words words = {
      "--metric", "pactran_gauss_grid", "--truth", file("truth.csv").string(), "--ci", "0"};
  const json result = rank_json(words);
  const json& settings = result.at("metrics").at("pactran_gauss_grid").at("settings");
  ASSERT_EQ(settings.size(), 12U);
  for (std::size_t k = 0; k < settings.size(); ++k) {
    EXPECT_TRUE(settings[k].at("agreement").is_number());
    EXPECT_TRUE(settings[k].at("truth").is_number());
    EXPECT_TRUE(settings[k].at("balance").is_null());  // fewer than four models
    const json& one =
        result.at("models")[0].at("scores").at("pactran_gauss_grid").at("settings")[k];
    EXPECT_EQ(one.at("setting"), settings[k].at("setting"));
    EXPECT_NEAR(one.at("fr").get<double>() + one.at("rer").get<double>(), one.at("value"), 1e-12);
  }
  EXPECT_THAT(rank(words).out, HasSubstr("tau with the truth"));
}

// Weights that are no probabilities: a common factor of a row cancels.
TEST_F(PactranOptions, GammaTakesWeights) {
  const Path model = file("weighted") / "one";
  std::filesystem::create_directories(model);
  write_npy(model / "features.npy", test::hub_features(1.0));
  Matrix weights(test::kSamples, 4);
  for (Index i = 0; i < weights.rows(); ++i) {
    for (Index z = 0; z < 4; ++z)
      weights(i, z) = 0.1 + static_cast<double>((i * 7 + z * 3) % 5) + (i % 3 == z ? 4.0 : 0.0);
  }
  const auto gamma = [&](const Matrix& probabilities, Words options) {
    write_npy(model / "probs.npy", probabilities);
    options.insert(options.begin(), {"--metric", "pactran_gamma,leep,logme", "--ci", "0"});
    return rank_json(file("weighted"), labels_, options);
  };
  const Vector sums = weights.rowwise().sum();
  const json normal = gamma(sums.cwiseInverse().asDiagonal() * weights, {});
  const json free = gamma(weights, {"--source-weights"});
  const auto value = [](const json& result) {
    return result.at("models")[0].at("scores").at("pactran_gamma").at("value").get<double>();
  };
  EXPECT_NEAR(value(free), value(normal), 1e-9);
  EXPECT_EQ(free.at("left_out")[0].at("metric"), "leep");
  const Words plain = {"--metric", "pactran_gamma"};
  EXPECT_THAT(rank(file("weighted"), labels_, plain).err, HasSubstr("must sum to 1"));
  weights.row(3).setZero();
  write_npy(model / "probs.npy", weights);
  EXPECT_THAT(
      rank(file("weighted"), labels_, {"--metric", "pactran_gamma", "--source-weights"}).err,
      HasSubstr("row 3 has no weight"));
}

}  // namespace
}  // namespace assay
