#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "assay/types.h"
#include "support.h"

namespace assay::test {

// A hub of networks of a few hundred parameters, and noisy images of 8 x 8, dark ones and bright
// ones. Tests are skipped where the plug-in that runs them is not built.
class ImageHub : public testing::Test {
 protected:
  static constexpr Index kTrain = 60;
  static constexpr Index kTest = 20;

  ImageHub();
  ~ImageHub() override;
  void SetUp() override;

  // The network tests/golden/net/FILE under a name of its own.
  void add(const std::string& name, const std::string& file, Index classes = 0);

  TemporaryDirectory folder_;
  std::filesystem::path hub_ = folder_ / "hub";
  std::filesystem::path data_ = folder_ / "data";
  std::map<std::string, std::string> levels_;  // brightness of each image, as files of numbers

 private:
  void write_images(const std::string& part, Index count, std::uint64_t seed);

  nlohmann::json entries_ = nlohmann::json::array();
};

}  // namespace assay::test
