#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/rows.h"

namespace assay {

// Where a result comes from: enough to run it again and to know it was the same data.
struct Provenance {
  std::vector<std::string> command;  // argv
  std::uint64_t seed = 0;
  int threads = 1;
  double seconds = 0.0;
};

nlohmann::ordered_json provenance_json(const Provenance& provenance,
                                       const std::vector<FileDigest>& inputs);

}  // namespace assay
