#include "hub/open_rows.h"

#include "assay/features.h"

namespace assay {

Rows open_rows(const Model& model) { return model.rows ? model.rows : open_rows(model.features); }

Rows open_rows(const std::vector<std::filesystem::path>& files) {
  std::vector<Rows> shards;
  for (const std::filesystem::path& file : files) shards.push_back(open_features(file));
  return rows_of_shards(std::move(shards));
}

}  // namespace assay
