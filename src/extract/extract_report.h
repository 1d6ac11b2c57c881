#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "assay/extract.h"
#include "extract/feature_cache.h"
#include "report/screen.h"

namespace assay {

// `assay extract`: one row per network and layer.
std::string extract_table(const ExtractedHub& extracted, const Screen& screen = {});
nlohmann::ordered_json extract_json(const ExtractedHub& extracted, Index views);

// `assay cache list`, and what `assay cache prune` removed.
std::string cache_table(const std::vector<CachedEntry>& entries, const Screen& screen = {});
nlohmann::ordered_json cache_json(const std::vector<CachedEntry>& entries);

}  // namespace assay
