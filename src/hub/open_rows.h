#pragma once

#include "assay/data/rows.h"
#include "assay/hub/catalogue.h"

namespace assay {

// A model's features; its shards one below the other.
Rows open_rows(const ModelFiles& model);

// Files one below the other.
Rows open_rows(const std::vector<std::filesystem::path>& files);

}  // namespace assay
