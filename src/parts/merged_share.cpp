#include "parts/merged_share.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "assay/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string words_of(const PartFile& part) {
  return fmt::format("{}", fmt::join(part.command, " "));
}

// Why two parts are not of one piece of work; empty when they are.
std::string difference(const PartFile& part, const PartFile& first) {
  if (part.command != first.command)
    return fmt::format("it is of `assay {}`, the others of `assay {}`", words_of(part),
                       words_of(first));
  if (part.version != first.version)
    return fmt::format("it was made by assay {}, the others by {}", part.version, first.version);
  if (part.number.parts != first.number.parts)
    return fmt::format("it is one of {} parts, the others of {}", part.number.parts,
                       first.number.parts);
  if (part.list.name != first.list.name || part.list.units != first.list.units)
    return "it was made where there were other models or files";
  if (part.list.data != first.list.data) return "it was made with other labels or data";
  return {};
}

}  // namespace

PartSet read_parts(const std::vector<fs::path>& files, bool allow_missing) {
  std::map<Index, std::pair<fs::path, PartFile>> by_number;
  std::optional<PartFile> first;
  for (const fs::path& file : files) {
    PartFile part = read_part(file);
    if (!first) {
      first = part;
      first->outcomes.clear();
    }
    if (const std::string why = difference(part, *first); !why.empty())
      fail_input(
          fmt::format("{}: does not belong to {}: {}", file.string(), files.front().string(), why));
    const Index number = part.number.part;
    if (const auto [at, fresh] = by_number.try_emplace(number, file, std::move(part)); !fresh)
      fail_input(fmt::format("{} and {}: both are part {} of {}; leave one out",
                             at->second.first.string(), file.string(), number,
                             first->number.parts));
  }
  PartSet set;
  set.first = files.front();
  for (Index number = 1; number <= first->number.parts; ++number) {
    const auto at = by_number.find(number);
    if (at == by_number.end()) {
      set.missing.push_back(number);
    } else {
      set.parts.push_back(std::move(at->second.second));
    }
  }
  if (!set.missing.empty() && !allow_missing) {
    fail_input(fmt::format("part{} {} of {} {} missing; `allow_missing` shows what there is",
                           set.missing.size() > 1 ? "s" : "", fmt::join(set.missing, ", "),
                           first->number.parts, set.missing.size() > 1 ? "are" : "is"));
  }
  return set;
}

void MergedShare::begin(const WorkList& list) {
  const PartFile& part = set_.parts.front();
  in_parts_ = list.name == part.list.name && !used_;
  if (!in_parts_) return;
  used_ = true;
  if (list.units != part.list.units)
    fail_input(fmt::format(
        "{}: the models or files are not those of the parts any more; there were "
        "{}, there are {}",
        set_.first.string(), fmt::join(part.list.units, ", "), fmt::join(list.units, ", ")));
  if (list.data != part.list.data)
    fail_input(fmt::format("{}: the labels or data have changed since the parts were made",
                           set_.first.string()));
}

std::optional<UnitOutcome> MergedShare::outcome(Index unit) const {
  for (const PartFile& part : set_.parts) {
    const auto at = part.outcomes.find(unit);
    if (at != part.outcomes.end()) return at->second;
  }
  return {};
}

}  // namespace assay
