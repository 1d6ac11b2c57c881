#include "report/result_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/error.h"
#include "support.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

const std::string kRanking = R"({"command": "rank", "models": [{"name": "a"}]})";

std::vector<std::string> sources(const ResultFolder& folder) {
  std::vector<std::string> names;
  for (const PageResult& one : folder.results)
    names.push_back(std::filesystem::path(one.source).filename().string());
  return names;
}

TEST(ResultFolder, HoldsTheResultsOfItAndOfTheFoldersInIt) {
  const test::TemporaryDirectory folder;
  write(folder / "b.json", kRanking);
  write(folder / "2026" / "a.json", kRanking);
  write(folder / "notes.txt", kRanking);
  const ResultFolder found = read_result_folder(folder.path());
  EXPECT_THAT(sources(found), ElementsAre("a.json", "b.json"));
  EXPECT_THAT(found.passed_over, SizeIs(0));
}

TEST(ResultFolder, PassesOverOtherJsonAndSaysSo) {
  const test::TemporaryDirectory folder;
  write(folder / "a.json", kRanking);
  write(folder / "package.json", R"({"name": "web"})");
  write(folder / "broken.json", "{");
  const ResultFolder found = read_result_folder(folder.path());
  EXPECT_THAT(sources(found), ElementsAre("a.json"));
  ASSERT_THAT(found.passed_over, SizeIs(2));
  EXPECT_THAT(found.passed_over[0], HasSubstr("broken.json"));
  EXPECT_THAT(found.passed_over[1], HasSubstr("no result of assay"));
}

TEST(ResultFolder, WithoutAResultIsAnError) {
  const test::TemporaryDirectory folder;
  write(folder / "package.json", R"({"name": "web"})");
  try {
    read_result_folder(folder.path());
    FAIL() << "an empty gallery";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no result of assay in this folder"));
  }
}

}  // namespace
}  // namespace assay
