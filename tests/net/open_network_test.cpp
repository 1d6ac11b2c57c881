// Tests: net/plugin_loader.
#include "net/open_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "assay/error.h"
#include "net_support.h"

namespace assay {
namespace {

using test::error_of;
using test::FloatArray;
using test::golden;
using test::load_floats;
using test::relative_difference;
using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::string>;

std::vector<std::string> names_of(const Network& network) {
  std::vector<std::string> names;
  for (const NetworkOutput& output : network.outputs()) names.push_back(output.name);
  return names;
}

// tests/golden/net: one tiny network as TorchScript and ONNX, and what eager PyTorch computes.
class TinyNetwork : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (!find_plugin(GetParam())) GTEST_SKIP() << missing_plugin_message(GetParam());
  }
  static NetworkDescription tiny() {
    return default_description(
        golden(GetParam() == Backend::torchscript ? "net/tiny.pt" : "net/tiny.onnx"));
  }
  const FloatArray images_ = load_floats(golden("net/images.npy"));
  const FloatArray features_ = load_floats(golden("net/features.npy"));
  const FloatArray logits_ = load_floats(golden("net/logits.npy"));
};

TEST_P(TinyNetwork, GivesWhatPyTorchGives) {
  const auto network = open_network(tiny());
  // Often enough for every stage of the just-in-time compiler.
  for (int run = 0; run < 4; ++run) {
    const auto values = network->forward(images_.images(), Words{"logits", "features"});
    ASSERT_EQ(values.size(), 2U);
    EXPECT_LT(relative_difference(values[0], logits_.values), 1e-5);
    EXPECT_LT(relative_difference(values[1], features_.values), 1e-5);
  }
}

TEST_P(TinyNetwork, DoesNotMixImagesOfABatch) {
  const auto network = open_network(tiny());
  const ImageBatch batch = images_.images();
  const Index image = batch.channels * batch.height * batch.width;
  const auto last = network->forward(
      {batch.pixels + 2 * image, 1, batch.channels, batch.height, batch.width}, Words{"features"});
  const std::vector<float> expected(features_.values.end() - 4, features_.values.end());
  EXPECT_LT(relative_difference(last[0], expected), 1e-5);
}

// However many there are: whole batches, a few more, one alone.
TEST_P(TinyNetwork, GivesEveryImageOfABatchItsRow) {
  const auto network = open_network(tiny());
  const Index image = static_cast<Index>(images_.values.size()) / 3;
  for (const Index count : {1, 2, 7, 8, 9, 19}) {
    std::vector<float> pixels;
    std::vector<float> expected;
    for (Index i = 0; i < count; ++i) {
      const auto row = [&](const std::vector<float>& values, Index size) {
        return values.begin() + (i % 3) * size;
      };
      pixels.insert(pixels.end(), row(images_.values, image), row(images_.values, image) + image);
      expected.insert(expected.end(), row(features_.values, 4), row(features_.values, 4) + 4);
    }
    const auto found = network->forward({pixels.data(), count, 3, 8, 8}, Words{"features"});
    ASSERT_EQ(found[0].size(), expected.size());
    EXPECT_LT(relative_difference(found[0], expected), 1e-5) << count;
  }
}

// Its padding is folded into convolutions for one size at a time; the sizes come in turn.
TEST_P(TinyNetwork, PaddingMayDependOnTheSizeOfTheImages) {
  const bool torch = GetParam() == Backend::torchscript;
  const auto network =
      open_network(default_description(golden(torch ? "net/padded.pt" : "net/padded.onnx")));
  for (int run = 0; run < 3; ++run) {
    for (const std::string size : {"8x8", "9x8", "7x7"}) {
      const FloatArray images = load_floats(golden("net/padded_images_" + size + ".npy"));
      const FloatArray expected = load_floats(golden("net/padded_features_" + size + ".npy"));
      const auto values = network->forward(images.images(), Words{"features"});
      EXPECT_LT(relative_difference(values[0], expected.values), 1e-5) << size;
    }
  }
}

TEST_P(TinyNetwork, RunsOnSeveralThreadsAtOnce) {
  const auto network = open_network(tiny());
  const auto alone = network->forward(images_.images(), Words{"features"});
  std::vector<std::vector<float>> found(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<float>& mine : found) {
      threads.emplace_back([&] {
        for (int run = 0; run < 50; ++run)
          mine = network->forward(images_.images(), Words{"features"})[0];
      });
    }
  }
  for (const std::vector<float>& mine : found) EXPECT_EQ(mine, alone[0]);
}

TEST_P(TinyNetwork, HasNoLogitsWhereHubJsonSaysSo) {
  NetworkDescription description = tiny();
  description.classes = 0;
  const auto network = open_network(description);
  EXPECT_THAT(names_of(*network), testing::Not(testing::Contains("logits")));
  EXPECT_THAT(error_of([&] { network->forward(images_.images(), Words{"logits"}); }),
              HasSubstr("has no output 'logits'; it has features"));
}

TEST_P(TinyNetwork, TakesTheOutputsHubJsonNames) {
  NetworkDescription description = tiny();
  description.feature_output = "logits";
  description.classes = 0;
  const auto network = open_network(description);
  const auto values = network->forward(images_.images(), Words{"features"});
  EXPECT_LT(relative_difference(values[0], logits_.values), 1e-5);
  description.feature_output = "nowhere";
  EXPECT_THAT(error_of([&] { open_network(description); }), HasSubstr("nowhere"));
}

TEST_P(TinyNetwork, ExplainsImagesItCannotTake) {
  const auto network = open_network(tiny());
  const std::vector<float> grey(64, 0.5F);
  const std::string error = error_of([&] {
    network->forward({grey.data(), 1, 1, 8, 8}, Words{"features"});
  });
  EXPECT_THAT(error, HasSubstr("tiny."));
  EXPECT_THAT(error, HasSubstr("failed on images of 1 x 8 x 8"));
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST_P(TinyNetwork, FilesOfAnotherKindAreRefusedByName) {
  const test::TemporaryDirectory folder;
  const std::string name = GetParam() == Backend::torchscript ? "not.pt" : "not.onnx";
  for (const std::string& text :
       {std::string(), std::string("PK\3\4 not really"), std::string(5000, 'x')}) {
    test::write_text(folder / name, text);
    const std::string error = error_of([&] { open_network(default_description(folder / name)); });
    EXPECT_THAT(error, HasSubstr(name + ": cannot be opened as"));
  }
  EXPECT_THAT(error_of([&] { open_network(default_description(folder / ("gone" + name))); }),
              HasSubstr("no such file"));
}

INSTANTIATE_TEST_SUITE_P(Backends, TinyNetwork,
                         testing::Values(Backend::torchscript, Backend::onnx),
                         [](const auto& backend) { return backend_name(backend.param); });

class TorchScript : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_plugin(Backend::torchscript))
      GTEST_SKIP() << missing_plugin_message(Backend::torchscript);
  }
};

TEST_F(TorchScript, MethodsOnImagesAreLayers) {
  const auto network = open_network(default_description(golden("net/tiny.pt")));
  EXPECT_THAT(names_of(*network), ElementsAre("features", "logits", "early"));
  const FloatArray images = load_floats(golden("net/images.npy"));
  const auto values = network->forward(images.images(), Words{"early"});
  EXPECT_LT(relative_difference(values[0], load_floats(golden("net/early.npy")).values), 1e-5);
}

TEST_F(TorchScript, SaysWhatIsWrongWithTheInputSize) {
  const auto network = open_network(default_description(golden("net/fixed.pt")));
  const std::vector<float> image(3 * 16 * 16, 0.5F);
  const std::string error = error_of([&] {
    network->forward({image.data(), 1, 3, 16, 16}, Words{"features"});
  });
  EXPECT_THAT(error, HasSubstr("fixed.pt: failed on images of 3 x 16 x 16"));
  EXPECT_THAT(error, HasSubstr("shapes cannot be multiplied"));
  EXPECT_EQ(network->forward({image.data(), 1, 3, 8, 8}, Words{"features"})[0].size(), 2U);
}

TEST(Plugins, SayHowToGetThem) {
  EXPECT_THAT(missing_plugin_message(Backend::torchscript), HasSubstr("`make torch`"));
  EXPECT_THAT(missing_plugin_message(Backend::onnx), HasSubstr("libassay_onnx.so"));
  EXPECT_THAT(missing_plugin_message(Backend::onnx), HasSubstr("ASSAY_PLUGINS"));
}

}  // namespace
}  // namespace assay
