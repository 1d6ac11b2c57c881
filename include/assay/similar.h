#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/hub.h"
#include "assay/progress.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

struct SimilarRequest {
  std::vector<std::filesystem::path> inputs;  // hubs and feature files
  std::filesystem::path labels;               // never a model
  Hub hub = {};                               // in memory, or networks that were run
  Index rows = 1000;        // at most so many samples are compared, drawn with the seed
  Index neighbours = 10;    // of each sample
  double duplicate = 0.95;  // similarity from which two models are near-duplicates
  std::uint64_t seed = 0;
  Index memory_limit = 0;
};

struct SimilarModel {
  std::string name;
  Index dim = 0;
  double x = 0.0, y = 0.0;  // on the map: near means alike
  Index group = 0;          // near-duplicates share one, 1 ... ; 0: none is as near
};

struct SimilarPair {
  std::size_t a = 0, b = 0;
  double cka = 0.0;
  double shared_neighbours = 0.0;
};

struct SimilarResult {
  std::vector<SimilarModel> models;     // by name
  Matrix cka;                           // debiased linear CKA, 1 on the diagonal
  Matrix shared_neighbours;             // mean share of nearest neighbours in common
  std::vector<SimilarPair> duplicates;  // the most alike first
  std::vector<std::size_t> diverse;     // every model once, each the least like those before it
  Index samples = 0;                    // of the data
  Index compared = 0;                   // of these
  Index neighbours = 0;
  double duplicate = 0.0;
  std::vector<FailedModel> failed = {};
  std::vector<std::string> notes = {};
  std::vector<FileDigest> inputs = {};
};

// Which models see the data alike. A model that cannot be read, or has other rows than the first,
// is listed in `failed`; throws Error when fewer than two are left.
SimilarResult similar_models(ThreadPool& pool, const SimilarRequest& request,
                             const ProgressCallback& progress);

}  // namespace assay
