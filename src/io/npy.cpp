#include "io/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "core/text.h"
#include "io/atomic_file.h"
#include "io/mapped_file.h"

namespace assay {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

constexpr std::array<std::pair<std::string_view, ElementType>, 12> kCodes = {
    {{"f2", ElementType::f16},
     {"f4", ElementType::f32},
     {"f8", ElementType::f64},
     {"i1", ElementType::i8},
     {"i2", ElementType::i16},
     {"i4", ElementType::i32},
     {"i8", ElementType::i64},
     {"u1", ElementType::u8},
     {"u2", ElementType::u16},
     {"u4", ElementType::u32},
     {"u8", ElementType::u64},
     {"b1", ElementType::boolean}}};

// The header is a Python dictionary literal with three known keys; this finds
// the text after 'key': without a general parser.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& where) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{}{}{}", quote, key, quote);
    const std::size_t at = header.find(quoted);
    if (at == std::string_view::npos) continue;
    std::string_view rest = trim(header.substr(at + quoted.size()));
    if (rest.starts_with(':')) return trim(rest.substr(1));
  }
  fail_input(fmt::format("{}: the .npy header has no '{}'; the file is damaged", where, key));
}

void read_type(std::string_view text, Array& array) {
  const char quote = text.empty() ? ' ' : text.front();
  const std::size_t end = text.find(quote, 1);
  if ((quote != '\'' && quote != '"') || end == std::string_view::npos) {
    fail_input(fmt::format("{}: structured dtype; save one plain array", array.where));
  }
  const std::string_view descr = text.substr(1, end - 1);
  if (descr.starts_with('>')) {
    fail_input(fmt::format("{}: dtype '{}' is big-endian; save it with .astype('<{}')", array.where,
                           descr, descr.substr(1)));
  }
  if (descr.find('O') != std::string_view::npos) {
    fail_input(
        fmt::format("{}: holds Python objects; save text with .astype('U') and numbers as float32",
                    array.where));
  }
  const std::string_view code = descr.size() > 1 ? descr.substr(1) : std::string_view{};
  for (const auto& [name, type] : kCodes) {
    if (code == name) {
      array.type = type;
      array.item_size = code[1] - '0';
      return;
    }
  }
  Index width = 0;
  const char* last = code.data() + code.size();
  const bool text_kind = !code.empty() && (code[0] == 'U' || code[0] == 'S');
  if (!text_kind || std::from_chars(code.data() + 1, last, width).ptr != last || width <= 0 ||
      width > (Index{1} << 20)) {
    fail_input(fmt::format(
        "{}: dtype '{}' is not supported; use float16, float32, float64, integers or text",
        array.where, descr));
  }
  array.type = code[0] == 'U' ? ElementType::ucs4 : ElementType::bytes;
  array.item_size = code[0] == 'U' ? 4 * width : width;
}

std::vector<Index> read_shape(std::string_view text, const std::string& where) {
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) {
    fail_input(
        fmt::format("{}: the .npy header has no readable shape; the file is damaged", where));
  }
  std::vector<Index> shape;
  for (const std::string& part : split_list(text.substr(1, end - 1))) {
    if (part.empty()) continue;  // the comma of (n,)
    Index extent = 0;
    const auto [stop, status] = std::from_chars(part.data(), part.data() + part.size(), extent);
    if (status != std::errc{} || stop != part.data() + part.size() || extent < 0) {
      fail_input(fmt::format("{}: the .npy header has the shape {}; the file is damaged", where,
                             text.substr(0, end + 1)));
    }
    shape.push_back(extent);
  }
  return shape;
}

// Position and text of the header dictionary: format versions 1 to 3 differ in
// the width of its length field.
std::pair<std::size_t, std::string_view> find_header(std::string_view image,
                                                     const std::string& where) {
  if (image.empty()) fail_input(fmt::format("{}: the file is empty", where));
  if (!image.starts_with(kMagic) || image.size() < 10) {
    fail_input(fmt::format("{}: not a .npy file (its first bytes are not NumPy's)", where));
  }
  const int version = static_cast<unsigned char>(image[6]);
  if (version < 1 || version > 3) {
    fail_input(fmt::format("{}: .npy version {} is not known; expected 1, 2 or 3", where, version));
  }
  const std::size_t width = version == 1 ? 2 : 4;
  if (image.size() < 8 + width) fail_input(fmt::format("{}: the .npy header is cut short", where));
  std::uint32_t length = 0;
  std::memcpy(&length, image.data() + 8, width);
  if (image.size() - 8 - width < length) {
    fail_input(fmt::format("{}: the .npy header is cut short", where));
  }
  return {8 + width + length, image.substr(8 + width, length)};
}

}  // namespace

Array parse_npy_header(std::span<const std::byte> beginning, const std::string& where) {
  const std::string_view text(reinterpret_cast<const char*>(beginning.data()), beginning.size());
  const std::string_view header = find_header(text, where).second;
  Array array;
  array.where = where;
  read_type(value_of(header, "descr", where), array);
  array.fortran_order = value_of(header, "fortran_order", where).starts_with("True");
  array.shape = read_shape(value_of(header, "shape", where), where);
  return array;
}

Array parse_npy(std::span<const std::byte> image, const std::string& where) {
  const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  const std::size_t data_offset = find_header(text, where).first;
  Array array = parse_npy_header(image, where);
  const Index expected = checked_byte_size(array.item_size, array.shape);
  const auto available = static_cast<Index>(image.size() - data_offset);
  if (expected < 0 || available < expected) {
    fail_input(fmt::format(
        "{}: the header promises shape {} of {}, but the file holds only {} bytes of data; "
        "it is cut short",
        where, shape_text(array.shape), element_name(array.type), available));
  }
  array.bytes = image.subspan(data_offset, static_cast<std::size_t>(expected));
  return array;
}

Array open_npy(const std::filesystem::path& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  Array array = parse_npy(file->bytes(), path.string());
  array.mapping = file;
  return array;
}

std::string npy_header(ElementType type, std::span<const Index> shape) {
  std::string_view code;
  for (const auto& [name, known] : kCodes) {
    if (known == type) code = name;
  }
  const std::string order = code.ends_with('1') ? "|" : "<";
  std::string header =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}", order, code,
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 10 - 1,
                ' ');  // data start 64-byte aligned
  header.push_back('\n');
  const auto length = static_cast<std::uint16_t>(header.size());
  std::string prefix(kMagic);
  prefix += {'\x01', '\x00', static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  return prefix + header;
}

void write_npy(const std::filesystem::path& path, ElementType type, std::span<const Index> shape,
               std::span<const std::byte> data) {
  write_file_atomically(
      path, {npy_header(type, shape), {reinterpret_cast<const char*>(data.data()), data.size()}});
}

void write_npy(const std::filesystem::path& path, const Matrix& values) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = values;
  const std::array<Index, 2> shape = {values.rows(), values.cols()};
  write_npy(path, ElementType::f64, shape,
            std::as_bytes(std::span(rows.data(), static_cast<std::size_t>(rows.size()))));
}

void write_npy(const std::filesystem::path& path, std::span<const Index> values) {
  const std::array<Index, 1> shape = {static_cast<Index>(values.size())};
  write_npy(path, ElementType::i64, shape, std::as_bytes(values));
}

void write_npy(const std::filesystem::path& path, std::span<const float> values, Index columns) {
  const std::array<Index, 2> shape = {static_cast<Index>(values.size()) / columns, columns};
  write_npy(path, ElementType::f32, shape, std::as_bytes(values));
}

}  // namespace assay
