// Tests: robust/robust_probe_hub, robust/robust_probe_report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "assay/error.h"
#include "assay/robust.h"
#include "io/npy.h"
#include "robust/represent_synthetic.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr Index kSide = 4;
constexpr Index kInputs = 3 * kSide * kSide;
constexpr Preprocessing kUnchanged{.input_size = kSide};  // mean 0, deviation 1, scale 255

// What goes in comes out, times `factor`.
class Identity final : public Network {
 public:
  explicit Identity(float factor = 1.0F) : factor_(factor) {}
  std::vector<NetworkOutput> outputs() const override { return {{"features", kInputs}}; }
  std::vector<std::vector<float>> forward(const ImageBatch& batch,
                                          std::span<const std::string> /*wanted*/) override {
    std::vector<float> out(batch.pixels, batch.pixels + batch.count * kInputs);
    for (float& value : out) value *= factor_;
    return {out};
  }

 private:
  float factor_;
};

class RobustNetworks : public testing::Test {
 protected:
  RobustNetworks() {
    test::write_text(file_, "weights");
    request_.scales = {0.5, 1.0, 2.0, 3.0};
    request_.samples = 600;
    request_.epsilons = {0.0, 0.4};
    request_.thresholds = {0.6};
    request_.memory_limit = Index{1} << 30;
    add("identity", [] { return std::make_unique<Identity>(); });
  }

  void add(const std::string& name, std::function<std::unique_ptr<Network>()> open) {
    request_.networks.push_back({name, file_, kUnchanged, 0, 0, {}, std::move(open)});
  }

  SynbenchResult score(int threads = 2) const {
    ThreadPool pool(threads);
    return synbench_hub(pool, request_, nullptr);
  }

  test::TemporaryDirectory folder_;
  std::filesystem::path file_ = folder_ / "identity.pt";
  SynbenchRequest request_;
};

// x = +-s / sqrt(d) + 0.5 + noise in units of 255 grey levels, then (255 x / scale - mean) / std.
TEST(SyntheticRepresentations, AreTheInputsInTheNetworksOwnNormalisation) {
  ThreadPool pool(2);
  Identity network;
  const Preprocessing own{
      .input_size = kSide, .input_scale = 127.5, .mean = {1.0, 0.5, 0.0}, .std = {1.0, 2.0, 4.0}};
  const SyntheticData data{.samples = 20, .seed = 5};
  const SyntheticRepresentations represent(pool, network, own, data);
  ASSERT_EQ(represent.dim(), kInputs);
  Index images = 0;
  const std::vector<double> scales = {0.5, 2.0};
  const auto found = represent.at(scales, [&](Index count) { images += count; });
  EXPECT_EQ(images, 40);
  SyntheticData whole = data;
  whole.dim = kInputs;
  const Matrix noise = synthetic_noise(pool, whole);
  for (std::size_t s = 0; s < scales.size(); ++s) {
    const Eigen::VectorXf signs = noise_signs(whole, scales[s]);
    for (Index i = 0; i < data.samples; ++i) {
      const double sign = found[s].labels[static_cast<std::size_t>(i)] == 1 ? 1.0 : -1.0;
      for (Index d = 0; d < kInputs; ++d) {
        const auto c = static_cast<std::size_t>(d / (kSide * kSide));
        const double x =
            sign * scales[s] / std::sqrt(double{kInputs}) + 0.5 + signs[d] * noise(d, i);
        EXPECT_NEAR(found[s].samples(d, i), (2.0 * x - own.mean[c]) / own.std[c], 1e-5);
      }
    }
  }
}

// The raw data represent themselves as well as anything can: calibrated, 1 but for chance.
TEST_F(RobustNetworks, TheIdentityScoresOneWhateverItsScale) {
  add("tenfold", [] { return std::make_unique<Identity>(10.0F); });
  const SynbenchResult result = score();
  ASSERT_EQ(result.models.size(), 2U);
  for (const SynbenchModel& model : result.models) {
    EXPECT_EQ(model.dim, kInputs);
    for (const SynbenchScore& one : model.scores) {
      EXPECT_NEAR(*one.calibrated, 1.0, 4.0 * *one.calibrated_se) << model.name;
      EXPECT_LT(*one.calibrated_se, 0.05);
    }
  }
  for (std::size_t e = 0; e < request_.epsilons.size(); ++e)
    EXPECT_NEAR(*result.models[0].scores[e].value, *result.models[1].scores[e].value, 1e-6);
}

// In a world of its own the identity still scores one; a world of another size fails the network.
TEST_F(RobustNetworks, OtherWorldsAreOfTheNetworksInputs) {
  Vector variances(kInputs);
  for (Index k = 0; k < kInputs; ++k) variances[k] = 0.1 + static_cast<double>(k % 7);
  request_.covariance = folder_ / "noise.npy";
  write_npy(request_.covariance, Matrix(variances));
  const SynbenchResult result = score();
  for (const SynbenchScore& one : result.models.front().scores)
    EXPECT_NEAR(*one.calibrated, 1.0, 4.0 * *one.calibrated_se) << one.epsilon;
  write_npy(request_.covariance, Matrix::Ones(kInputs - 3, 1));
  try {
    score();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("3 x 4 x 4 = 48"));
  }
}

TEST_F(RobustNetworks, NeitherMemoryNorThreadsChangeADigit) {
  const SynbenchModel together = score(1).models.front();
  request_.memory_limit = 1;  // one scale at a time
  const SynbenchModel apart = score(3).models.front();
  for (std::size_t e = 0; e < request_.epsilons.size(); ++e) {
    for (std::size_t s = 0; s < request_.scales.size(); ++s) {
      EXPECT_EQ(together.points[e][s].measured.accuracy, apart.points[e][s].measured.accuracy);
      EXPECT_EQ(together.points[e][s].measured.bound, apart.points[e][s].measured.bound);
    }
  }
}

TEST_F(RobustNetworks, ListsWhatCannotBeRunAndWhatIsNotFinite) {
  add("gone", []() -> std::unique_ptr<Network> { throw std::runtime_error("no such network"); });
  add("infinite",
      [] { return std::make_unique<Identity>(std::numeric_limits<float>::infinity()); });
  const SynbenchResult result = score();
  ASSERT_EQ(result.models.size(), 1U);
  ASSERT_EQ(result.failed.size(), 2U);
  EXPECT_THAT(result.failed[0].error, HasSubstr("no such network"));
  EXPECT_THAT(result.failed[1].error, HasSubstr("not all finite"));
}

}  // namespace
}  // namespace assay
