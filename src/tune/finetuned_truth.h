#pragma once

#include "assay/truth.h"
#include "assay/tune.h"

namespace assay {

struct FinetuneRequest {
  std::vector<std::filesystem::path> inputs;
  DataRequest data;
  TuneSettings settings;
};

// The truth a ranking is judged by, the costly way: test accuracy of every network after
// fine-tuning. Each has its own best setting among the rates and decays, searched on rows held back
// (TuneSettings). Throws Error when the data have no test part or no
// classes, or nothing is left.
TruthResult finetuned_truth(ThreadPool& pool, const FinetuneRequest& request,
                            const ProgressCallback& progress);

}  // namespace assay
