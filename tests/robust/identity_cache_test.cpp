#include "robust/identity_cache.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support.h"

namespace assay {
namespace {

SynbenchSetting tiny_setting() {
  SynbenchSetting out;
  out.dim = 4;
  out.train = 20;
  out.test = 20;
  out.scales = {1.0, 2.0};
  out.budgets = {{.epsilon = 0.0}};
  out.thresholds = {0.7};
  return out;
}

// Eight of twelve flipped bits once changed a calibration that was then believed.
TEST(IdentityCache, NoticesEveryFlippedBit) {
  const test::TemporaryDirectory folder;
  const SynbenchSetting setting = tiny_setting();
  const CachedIdentity first = cached_identity(test::pool(), setting, folder.path());
  EXPECT_FALSE(first.from_cache);
  EXPECT_EQ(first.note, "");
  EXPECT_TRUE(cached_identity(test::pool(), setting, folder.path()).from_cache);
  const std::filesystem::path file = std::filesystem::directory_iterator(folder / "robust")->path();
  std::ifstream stream(file, std::ios::binary);
  const std::string sound{std::istreambuf_iterator<char>(stream), {}};
  for (std::size_t i = 0; i + 1 < sound.size(); i += 3) {
    std::string flipped = sound;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
    test::write_text(file, flipped);
    const CachedIdentity again = cached_identity(test::pool(), setting, folder.path());
    EXPECT_FALSE(again.from_cache) << flipped;
    EXPECT_EQ(again.scores.at(0).at(0)->value, first.scores.at(0).at(0)->value);
  }
}

}  // namespace
}  // namespace assay
