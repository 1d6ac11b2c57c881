// The library names fields of its requests in backticks; the command shows the options of that name
// (cli/common.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "run_command.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    out.push_back((*it)[1].str());
  return out;
}

std::string contents(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// String literals of a source, lines that are comments or includes aside.
std::vector<std::string> literals(const fs::path& file) {
  static const std::regex passed_over(R"((^|\n)\s*(//|#include)[^\n]*)");
  static const std::regex literal("\"((?:\\\\.|[^\"\\\\\n])*)\"");
  return matches(std::regex_replace(contents(file), passed_over, "\n"), literal);
}

std::vector<fs::path> library_sources() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(ASSAY_TEST_DATA) / "../src")) {
    const std::string kind = entry.path().extension().string();
    if (kind == ".cpp" || kind == ".h") out.push_back(entry.path());
  }
  return out;
}

// Every --option that a help text of the command mentions.
std::set<std::string> options_of_the_command() {
  static const std::regex option("--([a-z][a-z0-9-]*)");
  std::set<std::string> out;
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{},
                                             {"rank"},
                                             {"evaluate"},
                                             {"truth"},
                                             {"curve"},
                                             {"curve", "measure"},
                                             {"tune"},
                                             {"robust", "score"},
                                             {"robust", "probe"},
                                             {"report"},
                                             {"predict"},
                                             {"similar"},
                                             {"track"},
                                             {"moments"},
                                             {"merge"},
                                             {"prior", "score"},
                                             {"prior", "sample"},
                                             {"prior", "probe"},
                                             {"extract"}}) {
    std::vector<std::string> words = command;
    words.emplace_back("--help");
    for (const std::string& name : matches(test::run_assay(words).out, option)) out.insert(name);
  }
  return out;
}

TEST(Messages, OfTheLibraryNameNoOption) {
  static const std::regex option("(--(?!hdf5-worker)[a-z][a-z0-9-]+)");
  const std::vector<fs::path> sources = library_sources();
  ASSERT_GT(sources.size(), 200u);
  for (const fs::path& file : sources) {
    for (const std::string& text : literals(file))
      EXPECT_THAT(matches(text, option), testing::IsEmpty()) << file << ": " << text;
  }
}

TEST(Messages, NameFieldsThatTheCommandHasOptionsFor) {
  static const std::regex field("`([a-z][a-z0-9_]*)`");
  const std::set<std::string> options = options_of_the_command();
  std::size_t seen = 0;
  for (const fs::path& file : library_sources()) {
    for (const std::string& text : literals(file)) {
      for (std::string name : matches(text, field)) {
        std::replace(name.begin(), name.end(), '_', '-');
        EXPECT_TRUE(options.contains(name)) << file << ": `" << name << "` in: " << text;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 50u);
}

}  // namespace
}  // namespace assay
