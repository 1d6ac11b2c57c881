#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/progress.h"
#include "assay/core/types.h"
#include "assay/data/rows.h"
#include "assay/hub/failed_model.h"
#include "assay/hub/networks.h"
#include "assay/io/array.h"
#include "assay/robust/synbench.h"

namespace assay {

// Representations that are in memory: what an .npz file of them holds.
struct GivenRepresentations {
  std::string name;
  Array scales;                     // (S)
  Array train, test;                // (S, N, D)
  Array train_labels, test_labels;  // (S, N), 0 and 1
};

// SynBench on networks, or on representations that were computed elsewhere. The defaults are the
// paper's.
struct RobustRequest {
  std::vector<NetworkSource> networks;
  std::vector<double> scales = default_scales();       // of what the networks are given
  Index samples = 2048;                                // to fit, and as many to measure
  Index input_size = 0;                                // 0: each network's own
  std::vector<std::filesystem::path> representations;  // .npz
  std::vector<GivenRepresentations> given = {};        // in memory
  std::vector<double> epsilons = {0.0, 0.2, 0.4, 0.6, 0.8};
  std::vector<double> thresholds = {0.7, 0.75, 0.8, 0.85, 0.9};
  bool relative = true;  // epsilon is a share of half the distance between the classes
  Norm norm = Norm::two;
  bool eigenbasis = false;  // 1- and infinity-balls to the letter of Appendix C
  double class_prior = 0.5;
  std::uint64_t seed = 0;  // of the synthetic data and the calibration
  Index memory_limit = 0;
  std::filesystem::path cache;  // where calibrations are kept; empty: nowhere

  static std::vector<double> default_scales();  // 0.1, 0.2, ..., 4.9
};

struct RobustScore {
  double epsilon = 0.0;
  double threshold = 0.0;
  std::optional<double> value;           // Eq. 3, measured
  std::optional<double> calibrated;      // value / identity
  std::optional<double> expected;        // Eq. 3 from what the fitted Gaussians promise
  std::optional<double> identity;        // value of a perfect representation of the same size
  std::optional<double> identity_error;  // standard error of that
  // Standard deviation of `calibrated` by chance alone, as a perfect representation has it.
  std::optional<double> calibrated_sd;
};

struct RobustModel {
  std::string name;
  Index dim = 0;
  Index train = 0;  // samples at each scale
  Index test = 0;
  std::vector<double> scales;
  std::vector<std::vector<ScalePoint>> points;       // [epsilon][scale]
  std::vector<RobustScore> scores;                   // epsilons within thresholds
  std::vector<std::optional<double>> best_epsilons;  // [threshold], by calibrated score
  std::vector<std::string> notes;                    // few samples, scales left out, ...
  double seconds = 0.0;

  // At the first threshold. Nothing when every score there is zero.
  std::optional<double> best_epsilon() const { return best_epsilons.front(); }
};

struct RobustResult {
  std::vector<RobustModel> models;  // networks, then files, in their order
  std::vector<FailedModel> failed;
  std::vector<FileDigest> inputs;
};

// Scores every network and every file. A network is run on `samples` synthetic images twice for
// every scale; as many scales at a time as the memory limit allows. A file holds `scales` (S),
// `train` and `test` (S, N, D), floats, and their `train_labels` and `test_labels` (S, N) of 0
// and 1. What cannot be scored is listed and passed over; throws Error when none is left or the
// request makes no sense.
RobustResult score_representations(ThreadPool& pool, const RobustRequest& request,
                                   const ProgressCallback& progress);

}  // namespace assay
