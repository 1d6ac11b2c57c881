#include "report/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>
#include <map>
#include <sstream>

#include "core/text.h"
#include "report/table.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

Screen screen_in(const std::map<std::string, std::string>& variables, int columns = 80) {
  return terminal_screen(columns, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
}

TEST(TerminalScreen, IsColouredUnlessTheUserOrTheTerminalObjects) {
  EXPECT_TRUE(screen_in({{"TERM", "xterm"}}).color);
  EXPECT_TRUE(screen_in({{"NO_COLOR", ""}}).color);  // no-color.org: set and not empty
  EXPECT_FALSE(screen_in({{"NO_COLOR", "1"}}).color);
  EXPECT_FALSE(screen_in({{"TERM", "dumb"}}).color);
}

TEST(TerminalScreen, ShowsBarsInUtf8Only) {
  EXPECT_TRUE(screen_in({{"LANG", "de_DE.UTF-8"}}).bars);
  EXPECT_TRUE(screen_in({{"LC_CTYPE", "C.utf8"}, {"LANG", "C"}}).bars);
  EXPECT_FALSE(screen_in({{"LC_ALL", "C"}, {"LANG", "de_DE.UTF-8"}}).bars);
  EXPECT_FALSE(screen_in({}).bars);
}

TEST(TerminalScreen, TakesTheWidthOfTheTerminalUnlessColumnsSaysOtherwise) {
  EXPECT_EQ(screen_in({}, 132).width, 132);
  EXPECT_EQ(screen_in({{"COLUMNS", "60"}}, 132).width, 60);
  EXPECT_EQ(screen_in({{"COLUMNS", "wide"}}, 132).width, 132);
  EXPECT_EQ(screen_in({{"COLUMNS", "-5"}}, 132).width, 132);
  EXPECT_EQ(screen_in({}, 0).width, 0);  // not known: no limit
  EXPECT_EQ(screen_in({}, 10).width, 40);
}

// Under a test runner stdout is no terminal.
TEST(StdoutScreen, OfAPipeIsPlain) {
  if (isatty(STDOUT_FILENO) != 0) GTEST_SKIP() << "stdout is a terminal";
  const Screen screen = stdout_screen();
  EXPECT_EQ(screen.width, 0);
  EXPECT_FALSE(screen.color);
  EXPECT_FALSE(screen.bars);
}

TEST(ShareBar, CountsInEighths) {
  EXPECT_EQ(share_bar(0.0, 4), "");
  EXPECT_EQ(share_bar(1.0, 4), "████");
  EXPECT_EQ(share_bar(0.5, 4), "██");
  EXPECT_EQ(share_bar(0.53125, 4), "██▏");  // 17 of 32 eighths
  EXPECT_EQ(share_bar(-3.0, 4), "");
  EXPECT_EQ(share_bar(7.0, 4), "████");
  EXPECT_EQ(share_bar(std::numeric_limits<double>::quiet_NaN(), 4), "");
}

TextTable wide_table(Tone second = Tone::plain) {
  TextTable table;
  table.add_column("model", Align::left, Keep::always);
  table.add_column("score", Align::right, Keep::first);
  table.add_column("n", Align::right, Keep::detail);
  table.add_column("D", Align::right, Keep::detail);
  table.add_column("remarks", Align::left);
  table.add_row({"resnet", "0.5", "1,000", "512", "nothing to see here"}, Tone::strong);
  table.add_row({"mobilenet", "0.25", "1,000", "64", "nor here"}, second);
  return table;
}

TEST(NarrowTable, LeavesOutTheLeastImportantColumnsAndNamesThem) {
  EXPECT_EQ(wide_table().str({.width = 41}),
            "model      score  remarks\n"
            "---------  -----  -------------------\n"
            "resnet       0.5  nothing to see here\n"
            "mobilenet   0.25  nor here\n"
            "Not shown on this narrow screen: n, D\n"
            "(`json` has everything)\n");
}

TEST(NarrowTable, OfEqualsLeavesOutTheRightmost) {
  const std::string text = wide_table().str({.width = 44});
  EXPECT_THAT(text, HasSubstr("model      score      n  remarks"));
  EXPECT_THAT(text, HasSubstr("narrow screen: D"));
}

TEST(NarrowTable, CutsTheWordsOfFaintRowsFirst) {
  TextTable table;
  table.add_column("model", Align::left, Keep::always);
  table.add_column("score", Align::right);
  table.add_row({"resnet", "0.5"});
  table.add_row({"(a control with a name that says a lot about it)", "-0.123456"}, Tone::faint);
  EXPECT_EQ(table.str({.width = 40}),
            "model       score\n"
            "------  ---------\n"
            "resnet        0.5\n"
            "(a co…  -0.123456\n");
}

TEST(NarrowTable, IsWholeWhereThereIsRoom) {
  EXPECT_EQ(wide_table().str({.width = 200}), wide_table().str());
  EXPECT_THAT(wide_table().str(), Not(HasSubstr("Not shown")));
}

TEST(NarrowTable, CutsWhatItMustKeep) {
  TextTable table;
  table.add_column("model", Align::left);
  table.add_column("n", Align::right);
  table.add_row({"größe_" + std::string(60, 'x'), "12"});
  const std::string text = table.str({.width = 40});
  EXPECT_THAT(text, HasSubstr("größe_" + std::string(33, 'x') + "…\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 40) << line;
}

TEST(ColouredTable, PaintsLinesAndNothingElse) {
  std::string text = wide_table(Tone::faint).str({.color = true});
  EXPECT_THAT(text, HasSubstr("\x1b[1;36mresnet"));
  EXPECT_THAT(text, HasSubstr("\x1b[2mmobilenet"));
  for (const char* code : {"\x1b[1;36m", "\x1b[1m", "\x1b[2m", "\x1b[0m"}) {
    for (std::size_t at = text.find(code); at != std::string::npos; at = text.find(code))
      text.erase(at, std::string(code).size());
  }
  EXPECT_EQ(text, wide_table().str());
}

}  // namespace
}  // namespace assay
