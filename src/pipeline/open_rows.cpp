#include "open_rows.h"

#include "assay/data/open_features.h"

namespace assay {

Rows open_rows(const ModelFiles& model) {
  std::vector<Rows> shards;
  for (const std::filesystem::path& file : model.features) shards.push_back(open_features(file));
  return rows_of_shards(std::move(shards));
}

}  // namespace assay
