#include "report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/csv.h"
#include "report/csv_cell.h"

namespace assay {
namespace {

TEST(TextTable, PadsToTheWidestCell) {
  TextTable table;
  table.add_column("model", Align::left);
  table.add_column("score", Align::right);
  table.add_row({"a", "1.25"});
  table.add_row({"longer name", "-10.50"});
  EXPECT_EQ(table.str(),
            "model         score\n"
            "-----------  ------\n"
            "a              1.25\n"
            "longer name  -10.50\n");
}

TEST(TextTable, CountsCharactersAndNotBytes) {
  TextTable table;
  table.add_column("größe ↑", Align::right);
  table.add_column("x", Align::left);
  table.add_row({"±1", "é"});
  EXPECT_EQ(table.str(),
            "größe ↑  x\n"
            "-------  -\n"
            "     ±1  é\n");
}

TEST(TextTable, LeavesNoBlanksAtTheEndOfALine) {
  TextTable table;
  table.add_column("model", Align::left);
  table.add_column("flags", Align::left);
  table.add_row({"a", ""});
  EXPECT_EQ(table.str(),
            "model  flags\n"
            "-----  -----\n"
            "a\n");
}

TEST(TextTable, WithoutRowsIsItsHeader) {
  TextTable table;
  table.add_column("metric", Align::left);
  EXPECT_EQ(table.str(), "metric\n------\n");
}

TEST(TextTable, KeepsARowOfEmptyCells) {
  TextTable table;
  table.add_column("a", Align::right);
  table.add_row({""});
  EXPECT_EQ(table.str(), "a\n-\n\n");
}

TEST(Wrap, BreaksAtBlanksOnly) {
  EXPECT_EQ(wrap("one two three four", 9), "one two\nthree\nfour\n");
  EXPECT_EQ(wrap("one two", 7), "one two\n");
  EXPECT_EQ(wrap("one two", 6), "one\ntwo\n");
}

TEST(Wrap, LetsALongWordStickOut) {
  EXPECT_EQ(wrap("a incomprehensible b", 6), "a\nincomprehensible\nb\n");
  EXPECT_EQ(wrap("incomprehensible", 6), "incomprehensible\n");
}

TEST(Wrap, CountsCharactersAndNotBytes) { EXPECT_EQ(wrap("±± ±± ±±", 5), "±± ±±\n±±\n"); }

TEST(Wrap, AnEmptyParagraphIsAnEmptyLine) { EXPECT_EQ(wrap("", 10), "\n"); }

TEST(TerminalWidth, IsReadableWhateverTheTerminal) {
  EXPECT_GE(terminal_width(), 40);
  EXPECT_LE(terminal_width(), 120);
}

TEST(TextTable, ShowsWhatATerminalWouldObey) {
  TextTable table;
  table.add_column("model", Align::left);
  table.add_row({"a\x1b[2J\x07"});
  EXPECT_THAT(table.str({}), testing::HasSubstr("a\\x1b[2J\\x07"));
  EXPECT_EQ(table.str({}).find('\x1b'), std::string::npos);
}

TEST(ForTerminal, PassesOurOwnColoursAndNothingElse) {
  const std::string ours = std::string(kBold) + "model" + kPlain + "\n\ttab ä █";
  EXPECT_EQ(for_terminal(ours), ours);
  EXPECT_EQ(for_terminal("\x1b]0;title\x07 \r \xC2\x9B \x9B \xE2\x80\xAE \x7F"),
            "\\x1b]0;title\\x07 \\x0d \\x9b \\x9b \\u202e \\x7f");
}

TEST(CsvCell, IsNoFormulaToASpreadsheetAndComesBackAsItWas) {
  EXPECT_EQ(csv_cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(csv_cell("plain, quoted"), "\"plain, quoted\"");
  for (const std::string text : {"=1+1", "+a", "-a", "@a", "'=a", "''+a", "'a", "a=b", "it's"}) {
    const CsvTable table = parse_csv("name\nx\n" + csv_cell(text) + "\n", "cells");
    EXPECT_EQ(table.rows.at(1).at(0), text);
  }
}

}  // namespace
}  // namespace assay
