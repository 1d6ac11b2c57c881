// Tests: net/open_trainer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "assay/network.h"
#include "net/open_network.h"
#include "net_support.h"
#include "tune/tuner.h"

namespace assay {
namespace {

using nlohmann::json;
using test::error_of;
using test::FloatArray;
using test::golden;
using test::load_floats;
using test::relative_difference;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> floats(const json& list) { return list.get<std::vector<float>>(); }

// Against PyTorch's autograd on the same network: tests/golden/tune/make_tune.py.
class TorchTrainer : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_plugin(Backend::torchscript))
      GTEST_SKIP() << missing_plugin_message(Backend::torchscript);
    std::ifstream stream(golden("tune/tiny.json"));
    expected_ = json::parse(stream);
  }

  static std::unique_ptr<Trainer> tiny() {
    return open_trainer(default_description(golden("net/tiny.pt")), 1);
  }

  // All tensors in turn; those without a gradient are zero.
  std::vector<float> flat(const json& gradients) const {
    std::vector<float> out;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const Index size = expected_.at("parameters").at(i).at(1);
      const std::vector<float> part = gradients[i].is_null()
                                          ? std::vector<float>(static_cast<std::size_t>(size))
                                          : floats(gradients[i]);
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }

  json expected_;
  const FloatArray images_ = load_floats(golden("net/images.npy"));
};

TEST_F(TorchTrainer, ListsParametersAndBuffers) {
  const auto trainer = tiny();
  const auto check = [](const std::vector<StateTensor>& found, const json& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].name, expected[i].at(0).get<std::string>());
      EXPECT_EQ(found[i].size, expected[i].at(1));
    }
  };
  check(trainer->tensors(StateKind::parameters), expected_.at("parameters"));
  check(trainer->tensors(StateKind::buffers), expected_.at("buffers"));
}

TEST_F(TorchTrainer, ForwardAndBackwardAreAutograds) {
  const auto trainer = tiny();
  const std::vector<float> outer = floats(expected_.at("outer"));
  const std::vector<float> features = trainer->forward(images_.images(), Pass::training);
  EXPECT_LT(relative_difference(features, floats(expected_.at("train").at("features"))), 1e-6);
  const ParameterGradient gradient = trainer->backward(outer);
  EXPECT_LT(relative_difference(gradient.values, flat(expected_.at("train").at("gradient"))), 1e-5);
  // The features do not depend on the classifier.
  EXPECT_THAT(gradient.took_part, ElementsAre(true, true, true, false, false));
  const std::vector<float> buffers = trainer->state(StateKind::buffers);
  const std::vector<float> mean(buffers.begin(), buffers.begin() + 4);
  EXPECT_LT(relative_difference(mean, floats(expected_.at("train").at("running_mean"))), 1e-6);
  // PyTorch's second pass was in evaluation mode, with what the first had left.
  const std::vector<float> still = trainer->forward(images_.images(), Pass::attack);
  EXPECT_LT(relative_difference(still, floats(expected_.at("eval").at("features"))), 1e-6);
  const std::vector<float> pixels = trainer->backward_to_pixels(outer);
  EXPECT_LT(relative_difference(pixels, floats(expected_.at("eval").at("pixels"))), 1e-5);
  EXPECT_EQ(trainer->state(StateKind::buffers), buffers);
}

TEST_F(TorchTrainer, TenStepsAreThoseOfPyTorch) {
  const auto trainer = tiny();
  TaskTargets targets{TargetKind::classes, 2, {}, {}};
  targets.labels = expected_.at("labels").get<std::vector<Label>>();
  Tuner tuner(*trainer, 4, targets, {});
  TunerState state = tuner.state();
  const std::vector<float> head = {0.1F, -0.2F, 0.3F, 0.0F, 0.0F, 0.2F, -0.1F, 0.4F, 0.0F, 0.0F};
  std::copy(head.begin(), head.end(), state.learnt.end() - 10);
  tuner.set_state(state);
  const std::vector<BatchRow> batch = {{0, 0}, {1, 0}, {2, 0}};
  for (const json& loss : expected_.at("losses"))
    EXPECT_NEAR(tuner.step(images_.images(), batch, 0.02).total, loss.get<double>(), 1e-5);
  const TunedWeights weights = tuner.weights();
  EXPECT_LT(relative_difference(weights.parameters, floats(expected_.at("final_parameters"))),
            1e-4);
  std::vector<float> final_head = weights.head_weight;
  final_head.insert(final_head.end(), weights.head_bias.begin(), weights.head_bias.end());
  EXPECT_LT(relative_difference(final_head, floats(expected_.at("final_head"))), 1e-4);
}

TEST_F(TorchTrainer, StateGoesOutAndBackIn) {
  const auto trainer = tiny();
  std::vector<float> parameters = trainer->state(StateKind::parameters);
  const std::vector<float> before = trainer->forward(images_.images(), Pass::evaluation);
  std::vector<float> doubled = parameters;
  for (float& value : doubled) value *= 2.0F;
  trainer->set_state(StateKind::parameters, doubled);
  EXPECT_EQ(trainer->state(StateKind::parameters), doubled);
  EXPECT_NE(trainer->forward(images_.images(), Pass::evaluation), before);
  trainer->set_state(StateKind::parameters, parameters);
  EXPECT_EQ(trainer->forward(images_.images(), Pass::evaluation), before);
}

TEST_F(TorchTrainer, WhatItSavesIsANetworkWithTheNewHead) {
  const test::TemporaryDirectory folder;
  const auto trainer = tiny();
  trainer->forward(images_.images(), Pass::training);  // changes the buffers
  const std::vector<float> weight = {1, 0, 0, 0, 0, 1, 0, 2};
  const std::vector<float> bias = {0.5F, -1.0F};
  test::write_text(folder / "tuned.pt", trainer->saved({weight, bias}));
  const std::vector<float> features = trainer->forward(images_.images(), Pass::evaluation);
  const auto network = open_network(default_description(folder / "tuned.pt"));
  const std::vector<std::string> wanted = {"features", "logits"};
  const auto values = network->forward(images_.images(), wanted);
  EXPECT_LT(relative_difference(values[0], features), 1e-5);
  std::vector<float> logits;
  for (std::size_t i = 0; i < 3; ++i) {
    logits.push_back(features[4 * i] + 0.5F);
    logits.push_back(features[4 * i + 1] + 2.0F * features[4 * i + 3] - 1.0F);
  }
  EXPECT_LT(relative_difference(values[1], logits), 1e-5);
  // And it can be tuned again.
  EXPECT_GT(open_trainer(default_description(folder / "tuned.pt"), 1)
                ->tensors(StateKind::parameters)
                .size(),
            trainer->tensors(StateKind::parameters).size());
}

TEST_F(TorchTrainer, ErrorsNameTheFileAndTheReason) {
  const auto trainer = tiny();
  EXPECT_THAT(error_of([&] { trainer->backward(std::vector<float>(12)); }),
              HasSubstr("no forward pass was made for gradients"));
  trainer->forward(images_.images(), Pass::evaluation);
  EXPECT_THAT(error_of([&] { trainer->backward(std::vector<float>(12)); }), HasSubstr("tiny.pt"));
  const std::vector<float> grey(64);
  EXPECT_THAT(error_of([&] {
                trainer->forward({grey.data(), 1, 1, 8, 8}, Pass::training);
              }),
              HasSubstr("failed on images of 1 x 8 x 8"));
  EXPECT_THAT(error_of([] { open_trainer(default_description("/nowhere/a.pt"), 1); }),
              HasSubstr("no such file"));
}

TEST(OnnxTrainer, SaysThatItCannotTrain) {
  if (!find_plugin(Backend::onnx)) GTEST_SKIP() << missing_plugin_message(Backend::onnx);
  EXPECT_THAT(error_of([] { open_trainer(default_description(golden("net/tiny.onnx")), 1); }),
              HasSubstr("onnx networks cannot be trained"));
}

}  // namespace
}  // namespace assay
