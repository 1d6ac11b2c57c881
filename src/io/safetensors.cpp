#include "io/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "io/json.h"
#include "io/mapped_file.h"

namespace assay {
namespace {

using nlohmann::json;

struct DType {
  std::string_view name;
  ElementType type;
  Index size;
};

constexpr std::array<DType, 12> kTypes = {{{"F16", ElementType::f16, 2},
                                           {"F32", ElementType::f32, 4},
                                           {"F64", ElementType::f64, 8},
                                           {"I8", ElementType::i8, 1},
                                           {"I16", ElementType::i16, 2},
                                           {"I32", ElementType::i32, 4},
                                           {"I64", ElementType::i64, 8},
                                           {"U8", ElementType::u8, 1},
                                           {"U16", ElementType::u16, 2},
                                           {"U32", ElementType::u32, 4},
                                           {"U64", ElementType::u64, 8},
                                           {"BOOL", ElementType::boolean, 1}}};

struct Tensor {
  std::string name;
  std::string dtype;
  std::vector<Index> shape;
  Index begin = 0;  // counted from the end of the header
  Index end = 0;
};

struct Contents {
  std::shared_ptr<const MappedFile> file;
  std::span<const std::byte> data;  // what follows the header
  std::vector<Tensor> tensors;      // by name
};

[[noreturn]] void fail_tensor(const std::string& file, const std::string& name,
                              const std::string& what) {
  fail_input(fmt::format("{}:{}: {}; the file is damaged", file, name, what));
}

// The non-negative integers of a JSON array; nothing when it is anything else.
std::optional<std::vector<Index>> sizes_in(const json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array()) return std::nullopt;
  std::vector<Index> sizes;
  for (const json& value : *found) {
    if (!value.is_number_unsigned()) return std::nullopt;
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) return std::nullopt;
    sizes.push_back(static_cast<Index>(number));
  }
  return sizes;
}

Tensor read_entry(const std::string& file, const std::string& name, const json& entry,
                  Index data_size) {
  if (!entry.is_object()) fail_tensor(file, name, "its header entry is not an object");
  const auto dtype = entry.find("dtype");
  const auto shape = sizes_in(entry, "shape");
  const auto offsets = sizes_in(entry, "data_offsets");
  if (dtype == entry.end() || !dtype->is_string() || !shape || !offsets || offsets->size() != 2) {
    fail_tensor(file, name, "expected dtype, shape and two data_offsets in its header entry");
  }
  const Index begin = offsets->front();
  const Index end = offsets->back();
  if (begin > end || end > data_size) {
    fail_tensor(file, name,
                fmt::format("data_offsets [{}, {}] lie outside the {} bytes that follow the header",
                            begin, end, data_size));
  }
  return {name, dtype->get<std::string>(), *shape, begin, end};
}

void check_apart(const std::string& file, std::vector<Tensor> tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const Tensor& a, const Tensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    if (tensors[i].begin < tensors[i - 1].end) {
      fail_tensor(file, tensors[i].name,
                  fmt::format("its bytes overlap those of '{}'", tensors[i - 1].name));
    }
  }
}

std::string_view find_header(std::span<const std::byte> bytes, const std::string& file) {
  constexpr std::uint64_t largest_header = 100'000'000;  // the format's own limit
  if (bytes.empty()) fail_input(fmt::format("{}: the file is empty", file));
  std::uint64_t length = 0;
  if (bytes.size() < sizeof(length)) {
    fail_input(fmt::format("{}: not a .safetensors file, only {} bytes", file, bytes.size()));
  }
  std::memcpy(&length, bytes.data(), sizeof(length));
  const std::uint64_t rest = bytes.size() - sizeof(length);
  if (length > rest || length > largest_header) {
    fail_input(fmt::format(
        "{}: not a .safetensors file, or cut short: its first 8 bytes promise a header of {} "
        "bytes, {} follow",
        file, length, rest));
  }
  return {reinterpret_cast<const char*>(bytes.data()) + sizeof(length),
          static_cast<std::size_t>(length)};
}

Contents open_contents(const std::filesystem::path& path) {
  const std::string file = path.string();
  Contents contents{MappedFile::open(path), {}, {}};
  const std::span<const std::byte> bytes = contents.file->bytes();
  const std::string_view header = find_header(bytes, file);
  contents.data = bytes.subspan(sizeof(std::uint64_t) + header.size());
  const json parsed = parse_json(header, file + " (its header)");
  if (!parsed.is_object()) {
    fail_input(
        fmt::format("{}: the .safetensors header is not a JSON object; the file is damaged", file));
  }
  for (const auto& [name, entry] : parsed.items()) {
    if (name == "__metadata__") continue;
    contents.tensors.push_back(
        read_entry(file, name, entry, static_cast<Index>(contents.data.size())));
  }
  check_apart(file, contents.tensors);
  return contents;
}

const DType& type_of(const Tensor& tensor, const std::string& where) {
  const auto* row = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const DType& type) { return type.name == tensor.dtype; });
  if (row != kTypes.end()) return *row;
  fail_input(
      fmt::format("{}: dtype {} is not supported; save it as F16 or F32", where, tensor.dtype));
}

}  // namespace

std::vector<std::string> safetensors_names(const std::filesystem::path& path) {
  std::vector<std::string> names;
  for (Tensor& tensor : open_contents(path).tensors) names.push_back(std::move(tensor.name));
  return names;
}

Array open_safetensors(const std::filesystem::path& path, const std::string& name) {
  const Contents contents = open_contents(path);
  const auto tensor = std::find_if(contents.tensors.begin(), contents.tensors.end(),
                                   [&](const Tensor& candidate) { return candidate.name == name; });
  if (tensor == contents.tensors.end()) {
    fail_input(fmt::format("{}: holds no tensor '{}'; it holds: {}", path.string(), name,
                           fmt::join(safetensors_names(path), ", ")));
  }
  Array array;
  array.where = fmt::format("{}:{}", path.string(), name);
  const DType& dtype = type_of(*tensor, array.where);
  array.type = dtype.type;
  array.item_size = dtype.size;
  array.shape = tensor->shape;
  const Index expected = checked_byte_size(array.item_size, array.shape);
  if (expected != tensor->end - tensor->begin) {
    fail_tensor(path.string(), name,
                fmt::format("shape {} of {} does not take the {} bytes between its data_offsets",
                            shape_text(array.shape), tensor->dtype, tensor->end - tensor->begin));
  }
  array.bytes = contents.data.subspan(static_cast<std::size_t>(tensor->begin),
                                      static_cast<std::size_t>(expected));
  array.mapping = contents.file;
  return array;
}

}  // namespace assay
