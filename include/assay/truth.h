#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/hub.h"
#include "assay/progress.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "assay/work_share.h"

namespace assay {

struct TruthRequest {
  std::vector<std::filesystem::path> inputs;  // training features
  std::filesystem::path labels;
  std::vector<std::filesystem::path> test_inputs;  // the same models' test features; empty: split
  std::filesystem::path test_labels;
  Hub hub = {};             // in place of the training files
  Hub test_hub = {};        // in place of the test files
  double test_share = 0.3;  // of the rows, where there are no test features
  Index runs = 5;
  std::uint64_t seed = 0;
  Index memory_limit = 0;
  WorkShare* share = nullptr;  // who measures which models; null: this process measures all
};

struct MeasuredModel {
  std::string name;
  Index dim = 0;
  Index train = 0;  // rows
  Index test = 0;
  std::vector<double> accuracies;  // one per run, in the unit of the result
  std::string protocol = {};       // of best_truth: which of the two it is

  double mean() const;
  std::optional<double> sd() const;  // over runs, if there are several
};

struct TruthResult {
  std::string unit = "accuracy";      // or "R2", "average precision"
  std::vector<MeasuredModel> models;  // by name
  std::vector<FailedModel> failed;
  std::vector<FileDigest> inputs;
};

// The truth a ranking is judged by, measured on test rows, with every model's features: of classes
// the accuracy of a tuned linear probe (learn/linear_probe.h), of numbers the R2 of a tuned ridge
// probe (learn/ridge_probe.h), averaged over columns, of several labels per row the mean average
// precision of the same. In several runs that differ in the rows the penalty is tuned on and,
// without test features, in the rows tested (the same for every model). Throws Error when nothing
// is left.
TruthResult probe_truth(ThreadPool& pool, const TruthRequest& request,
                        const ProgressCallback& progress);

// Of two measurements of the same models the better one each, by the mean over runs (PACTran,
// appendix B.3: the lowest error of probes and fine-tuning). The better of two on the same test
// rows is a little too good; it says what a model can do, not what to expect. A model that only one
// side has keeps that. Both must have the same unit.
TruthResult best_truth(TruthResult probed, TruthResult finetuned);

}  // namespace assay
