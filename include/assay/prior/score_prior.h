#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/progress.h"
#include "assay/hub/failed_model.h"
#include "assay/hub/given_hub.h"
#include "assay/prior/task_prior.h"

namespace assay {

// One prior as the user names it: its parts multiply. A part is a feature file, `labels:FILE`
// (samples of one class belong together) or `views:V` (each V rows in a row do).
using PriorParts = std::vector<std::string>;

// The same from memory: one of features, a class per row, and a number of views.
struct GivenPriorPart {
  std::string name;
  Rows rows = nullptr;
  std::vector<Label> grouping = {};
  Index views = 0;
};

struct PriorScoreRequest {
  std::vector<std::filesystem::path> inputs;  // models
  std::vector<PriorParts> priors;
  GivenHub given = {};  // models in memory, in place of files; the one labelling as its targets
  std::vector<std::vector<GivenPriorPart>> given_priors = {};  // beside `priors`
  std::vector<double> temperatures;  // empty: median_temperature of each prior
  KernelOptions kernel;
  Graph graph = Graph::directed;
  Index pairs = 0;               // 0: all of them
  std::filesystem::path labels;  // one labelling to place the models by, or empty
  std::uint64_t seed = 0;
  Index memory_limit = 0;
};

struct PriorScore {
  std::string prior;
  std::string name;
  double temperature = 0.0;
  TaskMoments moments;
  Index n = 0;
  Index dim = 0;

  double expectation_per_pair() const;  // E / n^2
  double sd_per_pair() const;           // sqrt(Var) / n^2
};

// How one labelling fits a model (Theorem 3.3).
struct LabelAlignment {
  std::string name;
  double trace = 0.0;      // Tr(MG)
  double probe_mse = 0.0;  // of the best affine map of the features onto the one-hot labels
};

struct PriorScoreResult {
  std::vector<PriorScore> scores;  // prior after prior, model after model, by temperature
  std::vector<LabelAlignment> alignments;
  std::vector<FailedModel> failed;
  std::vector<FileDigest> inputs;
};

// Task Priors, Theorem 3.6, for every model, prior and temperature. Models that cannot be read or
// do not fit are left out with a reason. Throws Error when a prior is bad or nothing is left.
PriorScoreResult score_prior(ThreadPool& pool, const PriorScoreRequest& request,
                             const ProgressCallback& progress);

}  // namespace assay
