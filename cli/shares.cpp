#include "shares.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "assay/version.h"
#include "io/sealed_json.h"
#include "parts/part_share.h"

namespace assay::cli {
namespace {

// Their requests take a WorkShare.
constexpr std::array<std::string_view, 7> kShared = {
    "rank", "truth", "curve", "prior score", "prior probe", "robust score", "extract"};

void write_part(const GlobalOptions& global, const PartFile& part) {
  if (global.json_on_stdout()) {
    fmt::print("{}\n", sealed_json(part_json(part)));
  } else {
    write_sealed_json(global.json, part_json(part));
  }
  warn(global, fmt::format("part {} of {}: {} of {} units are in {}; `assay merge` takes all parts",
                           part.number.part, part.number.parts, part.outcomes.size(),
                           part.list.units.size(), global.json_on_stdout() ? "it" : global.json));
}

// What is the same for every part: where it goes and how fast it was made is its own.
std::vector<std::string> words_of_work(const GlobalOptions& global) {
  std::vector<std::string> words(global.command_line.begin() + 1, global.command_line.end());
  words = without_options(words, {"--part", "--json", "--threads"});
  std::erase(words, "--quiet");
  return words;
}

}  // namespace

std::vector<std::string> without_options(const std::vector<std::string>& words,
                                         const std::vector<std::string>& names) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto named = [&](const std::string& name) { return words[i] == name; };
    const auto valued = [&](const std::string& name) { return words[i].starts_with(name + "="); };
    if (std::ranges::any_of(names, named)) {
      ++i;  // its value
    } else if (std::ranges::none_of(names, valued)) {
      kept.push_back(words[i]);
    }
  }
  return kept;
}

bool is_shared(const std::string& command) {
  return std::ranges::find(kShared, command) != kShared.end();
}

void refuse_part(const GlobalOptions& global, const std::string& why) {
  if (!global.part.empty()) fail_input("`part`: " + why);
  if (global.share != nullptr) global.share->alone();
}

std::unique_ptr<WorkShare> open_share(const GlobalOptions& global, const std::string& command) {
  if (global.part.empty() || command == "moments") return nullptr;  // which cuts rows
  if (!is_shared(command)) {
    fail_input(
        fmt::format("`part`: the work of `assay {}` does not fall into shares; that of {} does",
                    command, fmt::join(kShared, ", ")));
  }
  const PartNumber number = parse_part(global.part);
  if (global.json.empty()) {
    fail_input(fmt::format("`part` {}: say where the part goes, such as `json` part{}.json",
                           global.part, number.part));
  }
  PartFile blank{.number = number,
                 .version = kVersion,
                 .command = words_of_work(global),
                 .directory = std::filesystem::current_path(),
                 .list = {},
                 .outcomes = {}};
  return std::make_unique<PartShare>(std::move(blank),
                                     [&global](const PartFile& part) { write_part(global, part); });
}

}  // namespace assay::cli
