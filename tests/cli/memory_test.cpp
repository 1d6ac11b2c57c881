// What `--memory-limit` promises: a run that is let through stays below it, and one that is not
// says what it needs.
#include "core/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "io/npy.h"
#include "run_command.h"

namespace assay {
namespace {

using test::CommandResult;
using test::run_assay;

using Words = std::vector<std::string>;

constexpr Index kRows = 4000;
constexpr Index kColumns = 96;
constexpr Index kManyClasses = 250;

// What the program takes before it reads anything, buffers of BLAS among it: a run of little.
constexpr Index kProgram = Index{40} << 20;

class MemoryLimit : public testing::Test {
 protected:
  MemoryLimit() {
    const Matrix noise = test::gaussian(kColumns, kRows, 1);
    write("x.npy", noise.cast<float>());
    Eigen::MatrixXf shares = Eigen::MatrixXf::Constant(1000, kRows, 1.0F / 1000.0F);
    std::filesystem::create_directories(folder_ / "hub" / "a");
    write("hub/a/features.npy", noise.topRows(4).cast<float>());
    write("hub/a/probs.npy", shares);
    std::string labels;
    for (Index i = 0; i < kRows; ++i) labels += std::to_string(i % kManyClasses) + "\n";
    test::write_text(folder_ / "y.txt", labels);
  }

  // Columns are rows of the file.
  void write(const std::string& name, const Eigen::MatrixXf& values) const {
    write_npy(folder_ / name, {values.data(), static_cast<std::size_t>(values.size())},
              values.rows());
  }

  CommandResult run(Words words, const std::string& limit) const {
    words.insert(words.end(),
                 {"--labels", (folder_ / "y.txt").string(), "--memory-limit", limit, "--quiet"});
    return run_assay(words);
  }

  // Refused with what it needs; let through with that much, and then it stays below.
  void expect_kept(const Words& words, const std::string& too_little) const {
    const CommandResult refused = run(words, too_little);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    std::smatch amount;  // the first is what it needs, the second, if any, the limit
    ASSERT_TRUE(std::regex_search(refused.err, amount, std::regex("[0-9.]+ [KMG]iB")))
        << refused.err;
    const std::string needed = amount.str();
    const Index bytes = parse_bytes(needed) + (Index{1} << 20);  // it was shown rounded
    const CommandResult done = run(words, std::to_string(bytes));
    EXPECT_EQ(done.exit_code, 0) << done.err;
#if !defined(ASSAY_SANITIZED)
    EXPECT_LT(done.peak, bytes + kProgram) << needed;
#endif
  }

  test::TemporaryDirectory folder_;
};

TEST_F(MemoryLimit, HoldsForFitsWithManyClasses) {
  expect_kept({"rank", (folder_ / "x.npy").string(), "--metric", "pactran_gauss", "--ci", "0"},
              "1MiB");
}

TEST_F(MemoryLimit, HoldsForMeasuringTheTruth) {
  expect_kept({"truth", (folder_ / "x.npy").string(), "--runs", "2", "--threads", "2"}, "20MiB");
}

TEST_F(MemoryLimit, HoldsForSourceProbabilities) {
  for (const char* confidence : {"0", "0.95"}) {
    expect_kept({"rank", (folder_ / "hub").string(), "--metric", "leep", "--ci", confidence,
                 "--threads", "4"},
                "40MiB");
  }
}

// 40,000 x 96 in float: all samples at once would take 139 MiB. The whole answer comes at several
// limits below, the same where metrics stream, within each.
TEST_F(MemoryLimit, HoldsForTheDefaultMetricsAndFitsOfMoreRowsThanFit) {
  constexpr Index rows = 40000;
  std::filesystem::create_directories(folder_ / "large");
  write("large/a.npy", test::gaussian(kColumns, rows, 3).cast<float>());
  std::string labels;
  for (Index i = 0; i < rows; ++i) labels += std::to_string(i % 7) + "\n";
  test::write_text(folder_ / "seven.txt", labels);
  nlohmann::json first;
  for (const char* limit : {"54MiB", "80MiB", "120MiB"}) {
    const CommandResult result = run_assay(
        {"rank", (folder_ / "large").string(), "--labels", (folder_ / "seven.txt").string(),
         "--metric", "default,transrate,linear_valid", "--knn-exact-rows", "8000", "--memory-limit",
         limit, "--threads", "2", "--json", "-", "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
#if !defined(ASSAY_SANITIZED)
    EXPECT_LT(result.peak, parse_bytes(limit) + kProgram) << limit;
#endif
    const nlohmann::json all = test::json_of(result);
    EXPECT_TRUE(all.at("left_out").empty());
    nlohmann::json scores = all.at("models").at(0).at("scores");
    EXPECT_EQ(scores.at("knn").at("queries"), 1600.0);
    EXPECT_EQ(scores.at("knn").at("flags"), nlohmann::json({"sampled_queries"}));
    EXPECT_EQ(scores.at("linear_valid").at("flags"), nlohmann::json({"drawn_rows"}));
    EXPECT_EQ(all.at("notes").size(), 2U) << all.at("notes");
    for (const char* name : {"ridge_loo", "ncc_loo", "knn", "transrate", "logme"}) {
      scores.at(name).erase("seconds");
      if (first.contains(name)) {
        EXPECT_EQ(scores.at(name), first.at(name)) << name << " " << limit;
      }
      first[name] = scores.at(name);
    }
  }
}

// A table of models times models would take 8 bytes times four million here, several times over.
TEST_F(MemoryLimit, NothingIsKeptForPairsOfModels) {
  constexpr Index models = 2000;
  const std::vector<float> values = {0.1F, 0.9F, 0.2F, 0.8F, 0.3F, 0.4F};
  std::filesystem::create_directories(folder_ / "many");
  for (Index i = 0; i < models; ++i)
    write_npy(folder_ / "many" / ("m" + std::to_string(i) + ".npy"), values, 1);
  test::write_text(folder_ / "six.txt", "0\n1\n0\n1\n0\n1\n");
  const CommandResult result =
      run_assay({"rank", (folder_ / "many").string(), "--labels", (folder_ / "six.txt").string(),
                 "--metric", "logme", "--ci", "0", "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
#if !defined(ASSAY_SANITIZED)
  EXPECT_LT(result.peak, kProgram);
#endif
}

}  // namespace
}  // namespace assay
