#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/rank.h"
#include "parts/model_moments.h"

namespace assay {

struct NamedMoments {
  std::string name;
  ModelMoments moments;
  std::vector<FileDigest> digests = {};  // of the files behind it
};

// Files of moments, those of one model added up. Throws Error naming the files when parts of a
// model overlap, are missing (unless allowed) or are of other labels.
std::vector<NamedMoments> moments_of_models(const std::vector<std::filesystem::path>& files,
                                            bool allow_missing, std::vector<std::string>& notes);

// Ranks by the metrics that read moments alone: logme, hscore, hscore_shrunk. Of the request,
// `metrics`, `by`, `level`, `center` and `memory_limit` count; intervals are refits without each
// fold. Throws Error when models have other numbers of rows or classes, or nothing is left.
RankResult rank_moments(ThreadPool& pool, const RankRequest& request,
                        const std::vector<NamedMoments>& models);

}  // namespace assay
