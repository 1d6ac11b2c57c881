// Tests: io/csv_scanner, io/numeric_csv.
#include "io/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "files.h"

namespace assay {
namespace {

using test::error_of;
using test::numbers;
using test::says;

using Row = std::vector<std::string>;

std::string table_error(const std::string& text) {
  return error_of([&] { parse_csv(text, "t.csv"); });
}

Array numeric(const std::string& text) { return read_numeric_csv(test::write_file("n.csv", text)); }

std::string numeric_error(const std::string& text) {
  return error_of([&] { numeric(text); });
}

TEST(Csv, TakesAFirstRowThatIsNotAllNumbersForAHeader) {
  const CsvTable named = parse_csv("name,accuracy\na,0.5\nb,0.25\n", "t.csv");
  EXPECT_TRUE(named.has_header);
  EXPECT_EQ(named.header, (Row{"name", "accuracy"}));
  EXPECT_EQ(named.rows, (std::vector<Row>{{"a", "0.5"}, {"b", "0.25"}}));
  const CsvTable bare = parse_csv("1,-2.5\n+3e5,nan", "t.csv");
  EXPECT_FALSE(bare.has_header);
  EXPECT_EQ(bare.rows, (std::vector<Row>{{"1", "-2.5"}, {"+3e5", "nan"}}));
}

TEST(Csv, FollowsRfc4180Quotes) {
  const CsvTable table = parse_csv("a,b\n\"x, \"\"y\"\"\",\"two\nlines\"\n\"\", plain \n", "t.csv");
  EXPECT_EQ(table.rows, (std::vector<Row>{{"x, \"y\"", "two\nlines"}, {"", "plain"}}));
}

TEST(Csv, AcceptsCrlfByteOrderMarkAndEndingsOfAllKinds) {
  const std::vector<Row> expected = {{"1", "2"}, {"3", ""}};
  for (const std::string text : {"a,b\n1,2\n3,", "a,b\n1,2\n3,\n", "a,b\r\n1,2\r\n3,\r\n",
                                 "\xEF\xBB\xBF"
                                 "a,b\n1,2\n3,\n\n\n"}) {
    const CsvTable table = parse_csv(text, "t.csv");
    EXPECT_EQ(table.header, (Row{"a", "b"})) << text;
    EXPECT_EQ(table.rows, expected) << text;
  }
}

TEST(Csv, NamesTheLineOfARaggedRow) {
  EXPECT_TRUE(says(table_error("a,b\n1,2\n3,4,5\n"), "t.csv: line 3: expected 2 fields"));
  EXPECT_TRUE(says(table_error("a,b\n1,2\n3,4,5\n"), "found 3"));
  EXPECT_TRUE(
      says(table_error("a,b\n\"two\nlines\",2\n3\n"), "line 4"));  // the quoted break counts
  EXPECT_TRUE(says(table_error("a,b\n\n3,4\n"), "line 2: expected 2 fields"));
}

TEST(Csv, RefusesBrokenQuotesAndForeignText) {
  EXPECT_TRUE(says(table_error("a,b\n1,\"open\n"), "line 2: a quoted field is never closed"));
  EXPECT_TRUE(says(table_error("a,b\n1,\"x\"y\n"), "line 2: text after the closing quote"));
  EXPECT_TRUE(says(table_error("\xFF\xFE"
                               "a"),
                   "UTF-16"));
  EXPECT_TRUE(says(table_error(""), "the file is empty"));
  EXPECT_TRUE(says(table_error("\xEF\xBB\xBF\n"), "the file is empty"));
}

TEST(Csv, ReadsNumbersInOneOfManySpellings) {
  EXPECT_EQ(number_in("-1.5"), -1.5);
  EXPECT_EQ(number_in("+2e3"), 2000.0);
  EXPECT_EQ(number_in("inf"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*number_in("NaN")));
  EXPECT_EQ(number_in("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_in("-1e9999"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_in("1e-999"), 0.0);
  EXPECT_EQ(number_in("1e-9999"), 0.0);
  for (const char* text : {"", " ", "+", "-", "1 2", "1.5x", "0x10", "+-1", "1,5", "abc"}) {
    EXPECT_FALSE(number_in(text)) << text;
  }
}

TEST(NumericCsv, ReadsRowsWithAndWithoutAHeader) {
  for (const std::string head : {"", "a,b,c\n", "\"a,\nx\",b,c\r\n", "\xEF\xBB\xBF"}) {
    const Array array = numeric(head + "1,2.5,-3e2\r\n 4 ,\"5\",+6\n");
    EXPECT_EQ(array.shape, (std::vector<Index>{2, 3})) << head;
    EXPECT_EQ(array.type, ElementType::f64);
    EXPECT_EQ(numbers(array), (std::vector<double>{1, 2.5, -300, 4, 5, 6})) << head;
  }
}

TEST(NumericCsv, KeepsAllDigits) {  // as written by np.savetxt
  EXPECT_EQ(numbers(numeric("3.141592653589793116e+00\n-1.000000000000000056e-01")),
            (std::vector<double>{3.141592653589793, -0.1}));
}

TEST(NumericCsv, LetsNanAndInfinityThrough) {
  const Array array = numeric("1,nan\ninf,-inf\n1e400,1e-400");
  EXPECT_TRUE(std::isnan(number_at(array, 1)));
  EXPECT_EQ(number_at(array, 2), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_at(array, 3), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_at(array, 4), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_at(array, 5), 0.0);
}

TEST(NumericCsv, NamesLineAndColumnOfWhatIsNotANumber) {
  EXPECT_TRUE(says(numeric_error("1,2\n3,abc\n"), "line 2, column 2: 'abc' is not a number"));
  EXPECT_TRUE(says(numeric_error("a,b\n1,2\n3x,4\n"), "line 3, column 1: '3x' is not a number"));
  EXPECT_TRUE(says(numeric_error("1,2\n3,\n"), "line 2, column 2: empty cell"));
  EXPECT_TRUE(says(numeric_error("1,2\n,4\n"), "line 2, column 1: empty cell"));
  EXPECT_TRUE(says(numeric_error("1;2\n3;4\n"), "line 2, column 1: '3;4' is not a number"));
}

TEST(NumericCsv, NamesTheLineOfARaggedRow) {
  EXPECT_TRUE(
      says(numeric_error("1,2\n3\n"), "line 2: expected 2 fields as in the first row, found 1"));
  EXPECT_TRUE(says(numeric_error("1,2\n3,4,5\n"),
                   "line 2: expected 2 fields as in the first row, found 3"));
  EXPECT_TRUE(
      says(numeric_error("1,2,3\n4,5"), "line 2: expected 3 fields as in the first row, found 2"));
  EXPECT_TRUE(says(numeric_error("1,2\n\n3,4\n"), "line 2: expected 2 fields"));
}

TEST(NumericCsv, AWideFirstRowDoesNotAllocateForAllLines) {
  std::string text = "0";
  for (int i = 1; i < 100'000; ++i) text += ",0";
  for (int i = 0; i < 1'000'000; ++i) text += "\n1";  // 800 GB if believed
  EXPECT_TRUE(says(numeric_error(text), "line 2: expected 100000 fields"));
}

TEST(NumericCsv, RefusesFilesWithoutNumbers) {
  EXPECT_TRUE(says(numeric_error(""), "the file is empty"));
  EXPECT_TRUE(says(numeric_error("a,b\n"), "no numbers follow the header"));
  EXPECT_TRUE(says(numeric_error("1,,3\n4,5,6\n"), "line 1 mixes numbers and empty cells"));
  EXPECT_TRUE(
      says(numeric_error(",0,1\n0,5,6\n"), "index column"));  // what pandas writes by default
}

}  // namespace
}  // namespace assay
