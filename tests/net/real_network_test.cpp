#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "core/random.h"
#include "net/open_network.h"
#include "net_support.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using test::FloatArray;
using test::load_floats;
using test::relative_difference;

// Real pre-trained networks are too large to ship. ASSAY_HUB names a folder of real features;
// beside it lie models/ with hub.json and reference/NAME__{inputS,features,logits}.npy, computed by
// the frameworks the networks come from.
class RealHub : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("ASSAY_HUB");
    if (folder == nullptr) GTEST_SKIP() << "set ASSAY_HUB to a folder of real features to run this";
    root_ = fs::path(folder).lexically_normal().parent_path();
    if (!fs::exists(root_ / "models" / "hub.json")) root_ = root_.parent_path();
    if (!fs::exists(root_ / "models" / "hub.json")) GTEST_SKIP() << "no models/ beside " << folder;
    if (!find_plugin(Backend::torchscript))
      GTEST_SKIP() << missing_plugin_message(Backend::torchscript);
  }

  NetworkDescription description(const std::string& name) const {
    for (const NetworkDescription& network : find_networks({root_ / "models"}).networks) {
      if (network.name == name) return network;
    }
    ADD_FAILURE() << name << " is not in hub.json";
    return {};
  }

  fs::path root_;
};

class RealNetwork : public RealHub,
                    public testing::WithParamInterface<std::pair<std::string, std::string>> {};

TEST_P(RealNetwork, GivesTheReferenceOutputs) {
  const auto& [name, input] = GetParam();
  const NetworkDescription said = description(name);
  const auto network = open_network(said);
  const FloatArray images = load_floats(root_ / "reference" / (name + "__" + input + ".npy"));
  std::vector<std::string> wanted = {"features"};
  if (said.classes > 0) wanted.emplace_back("logits");
  for (int run = 0; run < 3; ++run) {
    const auto values = network->forward(images.images(), wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const FloatArray expected =
          load_floats(root_ / "reference" / (name + "__" + wanted[i] + ".npy"));
      EXPECT_LT(relative_difference(values[i], expected.values), 1e-4) << wanted[i];
    }
  }
}

// ASSAY_ONNX_HUB names a folder with copies of these networks made by tools/export_model.py.
TEST_P(RealNetwork, GivesTheReferenceOutputsAsOnnxToo) {
  const char* copies = std::getenv("ASSAY_ONNX_HUB");
  if (copies == nullptr)
    GTEST_SKIP() << "set ASSAY_ONNX_HUB to a folder of ONNX copies to run this";
  if (!find_plugin(Backend::onnx)) GTEST_SKIP() << missing_plugin_message(Backend::onnx);
  const auto& [name, input] = GetParam();
  const auto network = open_network(default_description(fs::path(copies) / (name + ".onnx")));
  const FloatArray images = load_floats(root_ / "reference" / (name + "__" + input + ".npy"));
  std::vector<std::string> wanted = {"features"};
  if (description(name).classes > 0) wanted.emplace_back("logits");
  const auto values = network->forward(images.images(), wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const FloatArray expected =
        load_floats(root_ / "reference" / (name + "__" + wanted[i] + ".npy"));
    EXPECT_LT(relative_difference(values[i], expected.values), 1e-4) << wanted[i];
  }
}

TEST_P(RealNetwork, GivesTheSameDigitsOnSeveralThreads) {
  const auto& [name, input] = GetParam();
  const auto network = open_network(description(name));
  const FloatArray images = load_floats(root_ / "reference" / (name + "__" + input + ".npy"));
  const std::vector<std::string> wanted = {"features"};
  const auto first = network->forward(images.images(), wanted);
  std::vector<std::vector<float>> found(2);
  {
    std::vector<std::jthread> threads;
    for (std::vector<float>& mine : found) {
      threads.emplace_back([&] {
        for (int run = 0; run < 3; ++run) mine = network->forward(images.images(), wanted)[0];
      });
    }
  }
  for (const std::vector<float>& mine : found) EXPECT_EQ(mine, first[0]);
}

// The fast form against the plain one, which training runs: libtorch's clamp of images whose
// channels do not fill blocks of 16 left a part of each batch as it was (MobileNet v1 0.25 and
// 0.75).
TEST_F(RealHub, EveryNetworkGivesWhatTrainingSees) {
  for (const NetworkDescription& network : find_networks({root_ / "models"}).networks) {
    constexpr Index count = 8;
    constexpr Index size = 64;
    std::vector<float> pixels(static_cast<std::size_t>(count * 3 * size * size));
    Random random(1);
    for (float& value : pixels) value = static_cast<float>(random.normal());
    const ImageBatch batch{pixels.data(), count, 3, size, size};
    const std::vector<std::string> wanted = {"features"};
    const std::vector<float> plain = open_trainer(network, 1)->forward(batch, Pass::evaluation);
    const auto fast = open_network(network)->forward(batch, wanted);
    EXPECT_LT(relative_difference(fast[0], plain), 1e-3) << network.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Hub, RealNetwork,
                         testing::Values(std::pair{"mnv1_025_128", "input96"},
                                         std::pair{"mnv2_100_224", "input96"},
                                         std::pair{"resnet20_cifar10", "input32"},
                                         std::pair{"shufflenetv2_05_backbone", "input96"},
                                         std::pair{"squeezenet_11", "input96"}),
                         [](const auto& network) { return network.param.first; });

}  // namespace
}  // namespace assay
