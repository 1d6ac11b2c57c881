#pragma once

#include <filesystem>
#include <string>

#include "assay/thread_pool.h"
#include "robust/identity_scores.h"

namespace assay {

struct CachedIdentity {
  IdentityScores scores;
  bool from_cache = false;
  std::string note;  // why they could not be kept, if so
};

// identity_scores(), simulated once per setting and kept in `directory` (empty: not kept). A file
// there that does not hold these very scores is written anew.
CachedIdentity cached_identity(ThreadPool& pool, const SynbenchSetting& setting,
                               const std::filesystem::path& directory);

}  // namespace assay
