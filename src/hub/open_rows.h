#pragma once

#include "assay/hub.h"
#include "assay/rows.h"

namespace assay {

// A model's features; its shards one below the other.
Rows open_rows(const Model& model);

// Files one below the other.
Rows open_rows(const std::vector<std::filesystem::path>& files);

}  // namespace assay
