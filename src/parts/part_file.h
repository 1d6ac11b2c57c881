#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "assay/types.h"
#include "assay/work_share.h"

namespace assay {

// "2/5": the second of five equal shares.
struct PartNumber {
  Index part = 1;  // 1 ... parts
  Index parts = 1;

  // Units are dealt out like cards.
  bool has(Index unit) const { return unit % parts == part - 1; }
};

// Throws Error for anything but i/N with 1 <= i <= N.
PartNumber parse_part(std::string_view text);

// A part of a command's work: what `--json` holds under `--part` (docs/formats/parts.md).
struct PartFile {
  PartNumber number;
  std::string version;               // of assay
  std::vector<std::string> command;  // its words, without those that change no number
  std::filesystem::path directory;   // where it was given
  WorkList list;
  std::map<Index, UnitOutcome> outcomes;  // by unit
};

nlohmann::ordered_json part_json(const PartFile& part);

// Throws Error, naming the file, when it is no part or is damaged.
PartFile read_part(const std::filesystem::path& path);

}  // namespace assay
