#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "assay/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/csv.h"
#include "io/csv_scanner.h"
#include "io/mapped_file.h"

namespace assay {
namespace {

// Where the numbers start and how many there are to a row.
struct Layout {
  std::string_view body;
  Index first_line = 1;
  Index columns = 0;
};

Layout find_layout(std::string_view text, const std::string& where) {
  CsvScanner scanner(text, where);
  if (scanner.done()) fail_input(fmt::format("{}: the file is empty", where));
  const std::string_view whole = scanner.rest();
  // Counted, not kept: a first row may have as many fields as the file has bytes.
  Index columns = 0;
  Index numbers = 0;
  Index empty = 0;
  for (bool last = false; !last; ++columns) {
    const CsvScanner::Field field = scanner.next_field();
    last = field.last;
    numbers += number_in(field.text) ? 1 : 0;
    empty += field.text.empty() ? 1 : 0;
  }
  if (numbers == columns) return {whole, 1, columns};
  if (numbers > 0 && numbers + empty == columns) {
    fail_input(fmt::format(
        "{}: line 1 mixes numbers and empty cells: neither data nor a header; fill the cells, "
        "or write the file without its index column",
        where));
  }
  if (scanner.done()) fail_input(fmt::format("{}: no numbers follow the header", where));
  return {scanner.rest(), scanner.line(), columns};
}

class Parser {
 public:
  Parser(const Layout& layout, std::string where)
      : at_(layout.body.data()),
        end_(layout.body.data() + layout.body.size()),
        columns_(layout.columns),
        line_(layout.first_line),
        where_(std::move(where)) {}

  bool done() const { return at_ == end_; }

  void row(std::byte* out) {
    line_start_ = at_;
    for (Index j = 0; j < columns_; ++j) {
      const double value = cell(j);
      std::memcpy(out + j * static_cast<Index>(sizeof(double)), &value, sizeof(double));
    }
    ++line_;
  }

 private:
  bool at_separator(const char* p, Index column) const {
    const bool is_last = column == columns_ - 1;
    return p == end_ ? is_last : *p == (is_last ? '\n' : ',');
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  double cell(Index column) {
    const char* p = at_;
    while (p != end_ && is_blank(*p)) ++p;
    double value = 0.0;
    const auto [stop, status] = std::from_chars(p, end_, value);
    p = stop;
    while (p != end_ && is_blank(*p)) ++p;
    if (status != std::errc{} || !at_separator(p, column)) return unusual_cell(column);
    at_ = p == end_ ? p : p + 1;
    return value;
  }

  // Signs, quotes and numbers out of range are rare enough for a slower look.
  double unusual_cell(Index column) {
    const char* stop = std::find_if(at_, end_, [](char c) { return c == ',' || c == '\n'; });
    std::string_view text = trim({at_, static_cast<std::size_t>(stop - at_)});
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
      text = trim(text.substr(1, text.size() - 2));
    const std::optional<double> value = number_in(text);
    if (!value || !at_separator(stop, column)) fail(column, text);
    at_ = stop == end_ ? stop : stop + 1;
    return *value;
  }

  [[noreturn]] void fail(Index column, std::string_view text) const {
    const char* line_end = std::find(line_start_, end_, '\n');
    const auto fields = std::count(line_start_, line_end, ',') + 1;
    if (fields != columns_) {
      fail_input(fmt::format("{}: line {}: expected {} fields as in the first row, found {}",
                             where_, line_, columns_, fields));
    }
    if (text.empty()) {
      fail_input(fmt::format("{}: line {}, column {}: empty cell; remove the row or fill it",
                             where_, line_, column + 1));
    }
    fail_input(fmt::format("{}: line {}, column {}: '{}' is not a number", where_, line_,
                           column + 1, text.substr(0, 40)));
  }

  const char* at_;
  const char* end_;
  const char* line_start_ = nullptr;
  Index columns_;
  Index line_;
  std::string where_;
};

}  // namespace

Array read_numeric_csv(const std::filesystem::path& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  const std::span<const std::byte> bytes = file->bytes();
  Array array;
  array.where = path.string();
  const Layout layout =
      find_layout({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, array.where);

  // Lines alone would let a wide first row before many short ones claim any
  // amount of memory. A cell takes two bytes at least, which bounds the complete
  // rows; one more is where the first incomplete row is found out.
  const auto body_size = static_cast<Index>(layout.body.size());
  const Index lines = std::count(layout.body.begin(), layout.body.end(), '\n') + 1;
  const Index most_rows = std::min(lines, (body_size + 1) / (2 * layout.columns) + 1);
  const Index row_size = layout.columns * static_cast<Index>(sizeof(double));
  require_readable(most_rows * row_size, array.where, "for its numbers");
  std::vector<std::byte> numbers(static_cast<std::size_t>(most_rows * row_size));
  Parser parser(layout, array.where);
  Index rows = 0;
  for (; !parser.done(); ++rows) parser.row(numbers.data() + rows * row_size);
  array.shape = {rows, layout.columns};
  numbers.resize(static_cast<std::size_t>(rows * row_size));
  array.buffer = std::make_shared<const std::vector<std::byte>>(std::move(numbers));
  array.bytes = *array.buffer;
  return array;
}

}  // namespace assay
