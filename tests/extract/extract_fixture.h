#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/extract.h"
#include "assay/features.h"
#include "core/random.h"
#include "images/images_digest.h"
#include "io/npy.h"
#include "support.h"

namespace assay::test {

inline constexpr Index kImages = 600;  // three shards: 256, 256, 88
inline constexpr Index kDim = 5;
inline constexpr Index kClasses = 4;

struct Calls {
  std::atomic<Index> opened = 0;
  std::atomic<Index> images = 0;
  std::atomic<Index> stop_after = std::numeric_limits<Index>::max();  // images
  bool kill = false;  // end the process instead of throwing
};

// Fixed projections of the pixels: what a network is to extraction.
class FakeNetwork final : public Network {
 public:
  explicit FakeNetwork(Calls& calls) : calls_(calls) { ++calls_.opened; }

  std::vector<NetworkOutput> outputs() const override {
    return {{"features", kDim}, {"logits", kClasses}, {"block/1", 0}};
  }

  std::vector<std::vector<float>> forward(const ImageBatch& batch,
                                          std::span<const std::string> wanted) override {
    calls_.images += batch.count;
    if (calls_.images > calls_.stop_after) {
      if (calls_.kill) ::kill(::getpid(), SIGKILL);
      fail_input("fake.pt: stopped on purpose");
    }
    std::vector<std::vector<float>> out;
    for (const std::string& name : wanted) {
      const Index dim = name == "features" ? kDim : name == "logits" ? kClasses : 2;
      std::vector<float> values;
      for (Index i = 0; i < batch.count; ++i) {
        for (Index d = 0; d < dim; ++d) values.push_back(project(batch, i, d));
      }
      out.push_back(std::move(values));
    }
    return out;
  }

 private:
  static float project(const ImageBatch& batch, Index image, Index d) {
    const Index size = batch.channels * batch.height * batch.width;
    double sum = 0.0;
    for (Index k = 0; k < size; ++k) {
      sum += std::cos(static_cast<double>(k * (d + 1))) *
             static_cast<double>(batch.pixels[image * size + k]);
    }
    return static_cast<float>(sum);
  }

  Calls& calls_;
};

// Extraction by a network that counts what it is asked for, from 600 images of noise.
class ExtractFixture : public testing::Test {
 protected:
  ExtractFixture() {
    write_text(folder_ / "fake.pt", "weights");
    std::vector<std::uint8_t> bytes;
    Random random(3);
    for (Index i = 0; i < kImages * 6 * 5 * 3; ++i)
      bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
    const std::vector<Index> shape = {kImages, 6, 5, 3};
    write_npy(folder_ / "images.npy", ElementType::u8, shape, std::as_bytes(std::span(bytes)));
    input_ = {images_of_array(open_npy(folder_ / "images.npy")), "noise", {}};
    input_.digest = images_digest(pool(), *input_.images);
    options_.cache = folder_ / "cache";
    source_ = {"fake",
               folder_ / "fake.pt",
               {4, 255.0, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, false},
               kClasses,
               123,
               {},
               [this] { return std::make_unique<FakeNetwork>(calls_); }};
  }

  ExtractedModel extract(ThreadPool& pool = test::pool()) {
    return extract_network(pool, source_, input_, options_, {});
  }

  static Matrix values(const ExtractedOutput& output) {
    std::vector<Rows> shards;
    for (const std::filesystem::path& shard : output.shards) shards.push_back(open_features(shard));
    return matrix_of(*rows_of_shards(std::move(shards)));
  }

  static std::string digest(const ExtractedOutput& output) {
    std::string all;
    for (const std::filesystem::path& shard : output.shards) all += file_digest(shard);
    return all;
  }

  TemporaryDirectory folder_;
  Calls calls_;
  NetworkSource source_;
  ImageInput input_;
  ExtractOptions options_;
};

}  // namespace assay::test
