// The seed corpora, and simple mutations of them, through every target: what `make fuzz` once found
// stays mended, with any compiler and under any sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/random.h"
#include "targets.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> seeds_of(std::string_view target) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& file :
       fs::directory_iterator(fs::path(ASSAY_TEST_DATA) / "fuzz" / "corpus" / target))
    files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A flipped bit, a byte of another value, a cut, or a stretch said twice.
std::string mutated(std::string text, Random& random) {
  if (text.empty()) return text;
  const auto at = [&] { return static_cast<std::size_t>(random.below(text.size())); };
  for (Index edits = 1 + static_cast<Index>(random.below(4)); edits > 0 && !text.empty(); --edits) {
    switch (random.below(4)) {
      case 0:
        text[at()] ^= static_cast<char>(1 << random.below(8));
        break;
      case 1:
        text[at()] = static_cast<char>(random.below(256));
        break;
      case 2:
        text.resize(at());
        break;
      default:
        text.insert(at(), text.substr(at(), 1 + random.below(16)));
    }
  }
  return text;
}

class FuzzCorpus : public testing::TestWithParam<Target> {
 protected:
  FuzzCorpus() { prepare(); }
};

TEST_P(FuzzCorpus, IsReadOrRefused) {
  const std::vector<fs::path> seeds = seeds_of(GetParam().name);
  ASSERT_FALSE(seeds.empty());
  for (const fs::path& seed : seeds) {
    SCOPED_TRACE(seed.string());
    const std::string text = contents(seed);
    EXPECT_NO_THROW(GetParam().run(std::as_bytes(std::span(text))));
  }
}

TEST_P(FuzzCorpus, IsReadOrRefusedWhenDamaged) {
  if (GetParam().name == "hdf5") GTEST_SKIP() << "libhdf5 itself may crash: see the worker's tests";
  // ASSAY_FUZZ_MUTATIONS asks for more of each seed, where there is no clang for `make fuzz`.
  const char* const wanted = std::getenv("ASSAY_FUZZ_MUTATIONS");
  const int mutations = wanted == nullptr ? 60 : std::atoi(wanted);
  Random random(23);
  for (const fs::path& seed : seeds_of(GetParam().name)) {
    const std::string text = contents(seed);
    if (text.size() > 1 << 16) continue;
    for (int i = 0; i < mutations; ++i) {
      const std::string damaged = mutated(text, random);
      EXPECT_NO_THROW(GetParam().run(std::as_bytes(std::span(damaged))))
          << seed << ", mutation " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parsers, FuzzCorpus,
                         testing::ValuesIn(all_targets().begin(), all_targets().end()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace assay::fuzz
