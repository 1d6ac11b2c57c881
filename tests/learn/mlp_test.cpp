// Tests: learn/adam, learn/train_mlp.
#include "learn/mlp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/random.h"
#include "io/npy.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;

// A file of tests/golden/curve as numbers in C order.
std::vector<double> golden_numbers(const std::string& name) {
  const Array array = open_npy(test::golden("curve/probe_" + name + ".npy"));
  std::vector<double> out;
  for (Index i = 0; i < array.size(); ++i) {
    out.push_back(is_floating(array.type) ? number_at(array, i)
                                          : static_cast<double>(integer_at(array, i)));
  }
  return out;
}

// Five batches of ten samples in six dimensions, three classes, and a 6-8-8-3 network: five Adam
// steps in double by an independent program (tests/golden/README.md).
class GoldenRun : public testing::Test {
 protected:
  GoldenRun() {
    for (Index layer = 0; layer < 3; ++layer) {
      const std::vector<double> w = golden_numbers("W" + std::to_string(layer));
      const std::vector<double> b = golden_numbers("b" + std::to_string(layer));
      auto weights = network_.weights(layer);
      for (Index i = 0; i < weights.rows(); ++i) {
        for (Index j = 0; j < weights.cols(); ++j)
          weights(i, j) = w[static_cast<std::size_t>(i * weights.cols() + j)];
      }
      for (Index i = 0; i < weights.rows(); ++i)
        network_.intercepts(layer)[i] = b[static_cast<std::size_t>(i)];
    }
    for (const double label : golden_numbers("y")) labels_.push_back(static_cast<Label>(label));
  }

  Matrix batch(Index k) const { return Eigen::Map<const Matrix>(x_.data() + 60 * k, 6, 10); }
  std::span<const Label> labels(Index k) const {
    return std::span(labels_).subspan(static_cast<std::size_t>(10 * k), 10);
  }

  json adam_ = json::parse(std::ifstream(test::golden("curve/adam.json")));
  std::vector<double> x_ = golden_numbers("X");
  std::vector<Label> labels_;
  Mlp<double> network_{{6, 8, 8, 3}};
  Mlp<double>::Workspace work_;
};

TEST_F(GoldenRun, HasTheGradientsOfEveryLayer) {
  network_.loss_and_gradient(batch(0), labels(0), work_);
  Mlp<double> gradient({6, 8, 8, 3});
  std::ranges::copy(work_.gradient, gradient.parameters().begin());
  const json& expected = adam_["0.01"];
  for (Index layer = 0; layer < 3; ++layer) {
    const auto w = static_cast<std::size_t>(2 * layer);
    EXPECT_NEAR(gradient.weights(layer).sum(), expected["grad_sums_step0"][w].get<double>(), 1e-14);
    EXPECT_NEAR(gradient.intercepts(layer).sum(), expected["grad_sums_step0"][w + 1].get<double>(),
                1e-14);
    EXPECT_NEAR(gradient.weights(layer).norm(), expected["grad_fro_step0"][w].get<double>(), 1e-14);
    EXPECT_NEAR(gradient.intercepts(layer).norm(), expected["grad_fro_step0"][w + 1].get<double>(),
                1e-14);
  }
}

TEST_F(GoldenRun, FollowsAdamToTheLastDigits) {
  for (const auto& [rate, expected] : adam_.items()) {
    Mlp<double> network = network_;
    Adam<double> adam(std::ssize(network.parameters()), {.rate = std::stod(rate)});
    for (Index k = 0; k < 5; ++k) {
      const double loss = network.loss_and_gradient(batch(k), labels(k), work_);
      EXPECT_NEAR(loss, expected["losses_before_step"][static_cast<std::size_t>(k)].get<double>(),
                  1e-13);
      adam.step(network.parameters(), work_.gradient);
    }
    EXPECT_NEAR(network.loss_and_gradient(batch(0), labels(0), work_),
                expected["loss_batch0_after"].get<double>(), 1e-13);
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        EXPECT_NEAR(network.weights(0)(static_cast<Index>(i), static_cast<Index>(j)),
                    expected["final_W0"][i][j].get<double>(), 1e-13);
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(network.intercepts(2)[static_cast<Index>(i)],
                  expected["final_b2"][i].get<double>(), 1e-13);
    }
  }
}

// The versions that train, in float, against those in double.
TEST_F(GoldenRun, FloatFollowsDouble) {
  Mlp<float> rough({6, 8, 8, 3});
  std::ranges::transform(network_.parameters(), rough.parameters().begin(),
                         [](double value) { return static_cast<float>(value); });
  Mlp<float>::Workspace work;
  Adam<float> adam(std::ssize(rough.parameters()), {.rate = 0.01});
  const json& expected = adam_["0.01"];
  for (Index k = 0; k < 5; ++k) {
    const double loss = rough.loss_and_gradient(batch(k).cast<float>(), labels(k), work);
    EXPECT_NEAR(loss, expected["losses_before_step"][static_cast<std::size_t>(k)].get<double>(),
                1e-6);
    adam.step(rough.parameters(), work.gradient);
  }
}

TEST_F(GoldenRun, GradientIsThatOfFiniteDifferences) {
  network_.loss_and_gradient(batch(2), labels(2), work_);
  const std::vector<double> gradient = work_.gradient;
  constexpr double step = 1e-6;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double before = network_.parameters()[i];
    network_.parameters()[i] = before + step;
    const double up = network_.loss_and_gradient(batch(2), labels(2), work_);
    network_.parameters()[i] = before - step;
    const double down = network_.loss_and_gradient(batch(2), labels(2), work_);
    network_.parameters()[i] = before;
    EXPECT_NEAR(gradient[i], (up - down) / (2.0 * step), 1e-9) << i;
  }
}

struct Toy {
  Eigen::MatrixXf samples;
  std::vector<Label> labels;
  std::vector<Index> rows;
};

Toy toy(Index count) {
  const test::Sample blobs = test::blobs(3, count / 3, 5, 0.3);
  Toy out{blobs.features.transpose().cast<float>(), blobs.targets.labels, {}};
  out.rows.resize(out.labels.size());
  std::iota(out.rows.begin(), out.rows.end(), 0);
  return out;
}

MlpOptions small_options() {
  MlpOptions options;
  options.hidden = {16, 16};
  options.adam.rate = 1e-2;
  options.updates = 400;
  return options;
}

TEST(TrainMlp, LearnsBlobsWithTheUpdatesItSays) {
  const Toy data = toy(600);  // more rows than a batch
  const MlpFit fit = train_mlp(data.samples, data.labels, data.rows, 3, small_options(), 1);
  EXPECT_EQ(fit.updates, 400);
  EXPECT_LT(fit.train_loss, 0.01);
}

TEST(TrainMlp, StopsByItsRuleOnly) {
  const Toy data = toy(60);
  MlpOptions options = small_options();
  options.stop_loss = 0.01;
  const MlpFit fit = train_mlp(data.samples, data.labels, data.rows, 3, options, 1);
  EXPECT_LT(fit.updates, 400);
  EXPECT_GE(fit.updates, 100);
  EXPECT_LT(fit.train_loss, 0.01);
  options.stop_loss = 0.0;
  EXPECT_EQ(train_mlp(data.samples, data.labels, data.rows, 3, options, 1).updates, 400);
}

TEST(TrainMlp, DependsOnTheSeedAlone) {
  const Toy data = toy(600);
  const auto train = [&](std::uint64_t seed) {
    const MlpFit fit = train_mlp(data.samples, data.labels, data.rows, 3, small_options(), seed);
    return std::vector<float>(fit.network.parameters().begin(), fit.network.parameters().end());
  };
  EXPECT_EQ(train(4), train(4));
  EXPECT_NE(train(4), train(5));
}

// With no more rows than a batch each update uses all rows: the same as plain full-batch Adam.
TEST(TrainMlp, UsesTheRowsWhenTheyAreFewerThanABatch) {
  const Toy data = toy(30);
  MlpOptions options = small_options();
  options.updates = 7;
  const MlpFit fit = train_mlp(data.samples, data.labels, data.rows, 3, options, 9);
  Mlp<float> network({5, 16, 16, 3});
  network.randomize(9);
  Adam<float> adam(std::ssize(network.parameters()), options.adam);
  Mlp<float>::Workspace work;
  for (int k = 0; k < 7; ++k) {
    network.loss_and_gradient(data.samples, data.labels, work);
    adam.step(network.parameters(), work.gradient);
  }
  EXPECT_TRUE(std::ranges::equal(fit.network.parameters(), network.parameters()));
}

TEST(Mlp, StartsWithinTheBoundsOfItsLayers) {
  Mlp<float> network({100, 40, 4});
  network.randomize(1);
  EXPECT_LE(network.weights(0).cwiseAbs().maxCoeff(), 0.1F);
  EXPECT_GT(network.weights(0).cwiseAbs().maxCoeff(), 0.099F);
  EXPECT_LE(network.intercepts(1).cwiseAbs().maxCoeff(), 1.0F / std::sqrt(40.0F));
  EXPECT_NEAR(network.weights(0).mean(), 0.0, 0.005);
}

}  // namespace
}  // namespace assay
