#include "evaluate/score_files.h"
#include "guarded.h"
#include "targets.h"

namespace assay::fuzz {

void scores(Bytes bytes) {
  const std::filesystem::path json = as_file(bytes, "scores.json");
  read_or_refuse([&] { read_score_sets(json, {}); });
  const std::filesystem::path csv = as_file(bytes, "scores.csv");
  read_or_refuse([&] { read_score_sets(csv, {.group_column = "group"}); });
  read_or_refuse([&] { read_truth_sets(csv, {}); });
}

}  // namespace assay::fuzz
