#include "parts/part_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "assay/error.h"
#include "io/base64.h"
#include "io/mapped_file.h"
#include "io/sealed_json.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr Index kMostParts = 1000000;

std::string result_bytes(std::string_view text) {
  const std::optional<std::vector<std::byte>> bytes = from_base64(text);
  if (!bytes) fail_input("the bytes of a result are damaged");
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::optional<Index> whole_number(std::string_view text) {
  Index value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

PartFile part_of_json(const Json& json) {
  if (json.at("assay_part") != kFormat)
    fail_input("a part of another version of the format; compute it again with this assay");
  PartFile part;
  part.number = {json.at("part").get<Index>(), json.at("parts").get<Index>()};
  part.version = json.at("version").get<std::string>();
  part.command = json.at("command").get<std::vector<std::string>>();
  part.directory = json.at("directory").get<std::string>();
  part.list.name = json.at("work").get<std::string>();
  part.list.data = json.at("data").get<std::string>();
  part.list.units = json.at("units").get<std::vector<std::string>>();
  for (const Json& one : json.at("outcomes")) {
    const auto unit = one.at("unit").get<Index>();
    UnitOutcome outcome;
    if (one.contains("error")) {
      outcome.error = one.at("error").get<std::string>();
    } else {
      outcome.bytes = result_bytes(one.at("result").get_ref<const std::string&>());
    }
    part.outcomes[unit] = std::move(outcome);
  }
  return part;
}

// What the seal does not tell: a part that somebody made by hand, or that was cut short at its end.
void require_whole(const PartFile& part) {
  const auto [number, parts] = part.number;
  if (number < 1 || number > parts || parts > kMostParts) fail_input("its number makes no sense");
  for (Index unit = 0; unit < std::ssize(part.list.units); ++unit) {
    if (part.number.has(unit) != part.outcomes.contains(unit))
      fail_input("it does not hold the units of its number");
  }
}

}  // namespace

PartNumber parse_part(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const std::optional<Index> part = whole_number(text.substr(0, slash));
    const std::optional<Index> parts = whole_number(text.substr(slash + 1));
    if (part && parts && *part >= 1 && *part <= *parts && *parts <= kMostParts)
      return {*part, *parts};
  }
  fail_input(fmt::format("`part` '{}': expected i/N with i from 1 to N, such as 2/5", text));
}

Json part_json(const PartFile& part) {
  Json json;
  json["assay_part"] = kFormat;
  json["version"] = part.version;
  json["command"] = part.command;
  json["directory"] = part.directory.string();
  json["part"] = part.number.part;
  json["parts"] = part.number.parts;
  json["work"] = part.list.name;
  json["data"] = part.list.data;
  json["units"] = part.list.units;
  json["outcomes"] = Json::array();
  for (const auto& [unit, outcome] : part.outcomes) {
    Json one{{"unit", unit}};
    if (outcome.error.empty()) {
      one["result"] = to_base64(std::as_bytes(std::span(outcome.bytes)));
    } else {
      one["error"] = outcome.error;
    }
    json["outcomes"].push_back(std::move(one));
  }
  return json;
}

PartFile read_part(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  const std::optional<Json> json = unsealed_json(file->text());
  if (!json) {
    fail_input(
        fmt::format("{}: not a part of assay, or damaged on the way; a part is what `json` "
                    "FILE holds under `part` i/N",
                    path.string()));
  }
  try {
    PartFile part = part_of_json(*json);
    require_whole(part);
    return part;
  } catch (const Json::exception&) {
    fail_input(fmt::format("{}: sealed, but not a part of assay", path.string()));
  } catch (const Error& error) {
    fail_input(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace assay
