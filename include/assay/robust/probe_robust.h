#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/progress.h"
#include "assay/data/rows.h"
#include "assay/hub/failed_model.h"
#include "assay/images/image_request.h"
#include "assay/robust/robust_probe.h"

namespace assay {

struct ProbeRobustRequest {
  std::vector<std::filesystem::path> inputs;
  ImageRequest images;
  std::vector<double> epsilons = {0.0, 0.5};  // to train against; the others attack each head too
  bool best_epsilon = false;  // instead: 0, and the one that SynBench finds best for each network
  Index runs = 1;             // seeds
  Index steps = 10;           // of an attack
  Index epochs = 5;
  Index batch = 48;
  double rate = 0.1;
  std::uint64_t seed = 0;
  Index memory_limit = 0;       // for best_epsilon
  std::filesystem::path cache;  // where its calibrations are kept; empty: nowhere
};

// One head: what it was trained against and what it is worth.
struct RobustHeadResult {
  double epsilon = 0.0;
  Index seed = 0;
  RobustAccuracy accuracy;
  double seconds = 0.0;
};

struct RobustProbeModel {
  std::string name;
  std::optional<double> best_epsilon;   // where it was asked for
  std::vector<RobustHeadResult> heads;  // by epsilon, then seed
};

struct ProbeRobustResult {
  std::string dataset;
  Index train = 0, test = 0;
  std::vector<RobustProbeModel> models;
  std::vector<FailedModel> failed;
  std::vector<std::string> notes;
  std::vector<FileDigest> inputs;
};

// eps-robust linear probing of every network on labelled images: a head for every epsilon and seed,
// tested clean, attacked with every positive epsilon, and corrupted. Heads are the tasks of the
// pool. Throws Error when the data have no classes or no test part, or nothing is left.
ProbeRobustResult probe_robust(ThreadPool& pool, const ProbeRobustRequest& request,
                               const ProgressCallback& progress);

}  // namespace assay
