#include "io/json.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/types.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/mapped_file.h"

namespace assay {
namespace {

// What the brackets, commas and colons outside of strings say of the value to come. On text that
// is no JSON the numbers may be off, but up to where the parser gives up they are right.
struct JsonExtent {
  Index depth = 0;
  Index values = 1;
};

JsonExtent extent_of(std::string_view text) {
  JsonExtent extent;
  Index depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '[' || c == '{') extent.depth = std::max(extent.depth, ++depth);
    if (c == ']' || c == '}') --depth;
    if (c == '[' || c == '{' || c == ',' || c == ':') ++extent.values;
    if (extent.depth > kDeepestJson) break;
  }
  return extent;
}

void require_harmless(std::string_view text, const std::string& where) {
  constexpr Index bytes_per_value = 80;  // a node, its share of a growing vector, a short string
  const JsonExtent extent = extent_of(text);
  if (extent.depth > kDeepestJson) {
    fail_input(fmt::format("{}: JSON nested more than {} levels deep; no file of ours is", where,
                           kDeepestJson));
  }
  const Index needed = static_cast<Index>(text.size()) + bytes_per_value * extent.values;
  require_readable(needed, where, "as JSON");
}

template <typename Json>
Json parsed(std::string_view text, const std::string& where) {
  require_harmless(text, where);
  try {
    return Json::parse(text);
  } catch (const typename Json::parse_error& error) {
    fail_input(fmt::format("{}: not valid JSON at byte {}", where, error.byte));
  } catch (const typename Json::out_of_range&) {
    fail_input(fmt::format("{}: not valid JSON: a number is beyond the range of doubles", where));
  }
}

template <typename Json>
Json parsed_file(const std::filesystem::path& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  return parsed<Json>(file->text(), path.string());
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& where) {
  return parsed<nlohmann::json>(text, where);
}
nlohmann::ordered_json parse_ordered_json(std::string_view text, const std::string& where) {
  return parsed<nlohmann::ordered_json>(text, where);
}
nlohmann::json read_json(const std::filesystem::path& path) {
  return parsed_file<nlohmann::json>(path);
}
nlohmann::ordered_json read_ordered_json(const std::filesystem::path& path) {
  return parsed_file<nlohmann::ordered_json>(path);
}

}  // namespace assay
