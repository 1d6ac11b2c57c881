#include "tune/mix_parameters.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"

namespace assay {
namespace {

const std::vector<StateTensor> kTensors = {{"a", 3}, {"b", 2}};

std::vector<float> numbers(Index count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> out;
  for (Index i = 0; i < count; ++i) out.push_back(static_cast<float>(random.normal()));
  return out;
}

TEST(MixedParameters, OneNetworkIsItself) {
  const MixedParameters plain(kTensors, 1);
  const std::vector<float> network = numbers(5, 1);
  const std::vector<float> gradient = numbers(5, 2);
  EXPECT_EQ(plain.size(), 5);
  const std::vector<std::vector<float>> only = {network};
  EXPECT_EQ(plain.start(only, 0.9), network);
  EXPECT_EQ(plain.network(network), network);
  EXPECT_EQ(plain.gradient(network, gradient), gradient);
}

TEST(MixedParameters, StartsAsTheWeightedMean) {
  const MixedParameters mixed(kTensors, 3);
  const std::vector<std::vector<float>> networks = {numbers(5, 1), numbers(5, 2), numbers(5, 3)};
  const std::vector<float> parameters = mixed.start(networks, 0.8);
  ASSERT_EQ(static_cast<Index>(parameters.size()), 15 + 2 * 3);
  const std::vector<float> theta = mixed.network(parameters);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(theta[i], 0.8 * networks[0][i] + 0.1 * networks[1][i] + 0.1 * networks[2][i], 1e-6);
}

TEST(MixedParameters, GradientFollowsTheChainRule) {
  // L = sum_i c_i theta_i, so dL/dtheta = c whatever the parameters are.
  const MixedParameters mixed(kTensors, 2);
  const std::vector<float> c = numbers(5, 7);
  const std::vector<std::vector<float>> networks = {numbers(5, 1), numbers(5, 2)};
  const std::vector<float> at = mixed.start(networks, 0.7);
  const auto loss = [&](const std::vector<float>& parameters) {
    double sum = 0.0;
    const std::vector<float> theta = mixed.network(parameters);
    for (std::size_t i = 0; i < 5; ++i) sum += static_cast<double>(c[i]) * theta[i];
    return sum;
  };
  const std::vector<float> found = mixed.gradient(at, c);
  ASSERT_EQ(found.size(), at.size());
  constexpr float step = 1.0F / 64;
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::vector<float> up = at;
    std::vector<float> down = at;
    up[i] += step;
    down[i] -= step;
    EXPECT_NEAR(found[i], (loss(up) - loss(down)) / (2.0 * step), 2e-4) << i;
  }
}

}  // namespace
}  // namespace assay
