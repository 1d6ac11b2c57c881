#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/array.h"
#include "assay/hub.h"
#include "assay/images.h"
#include "assay/network.h"
#include "assay/progress.h"
#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "assay/work_share.h"

namespace assay {

enum class Norm { one, two, infinity };

// Where a classifier stands: its accuracy, and the mean distance of correctly classified samples
// from its boundary, in units of half the distance between the classes (the scaled bound).
struct OperatingPoint {
  double accuracy = 0.0;
  double bound = 0.0;
};

enum class PointStatus {
  ok,
  out_of_reach,   // an absolute epsilon covers half the gap: the scale does not count
  degenerate,     // no variance or no difference of means: counts as accuracy 0
  not_converged,  // norms other than two only; the point is what the iteration came to
};

// One scale under one budget.
struct ScalePoint {
  double scale = 0.0;
  PointStatus status = PointStatus::ok;
  OperatingPoint measured;   // on test samples
  OperatingPoint expected;   // what the fitted Gaussians promise
  OperatingPoint debiased;   // what they say of the population: no bias of finite samples
  OperatingPoint reference;  // the raw data at this scale
};

struct AttackedAccuracy {
  double epsilon = 0.0;
  double accuracy = 0.0;      // after all attacks
  double success = 0.0;       // share of the rightly classified pictures that they turn
  double pgd_accuracy = 0.0;  // after the first of them
};

struct RobustAccuracy {
  double clean = 0.0;
  std::vector<AttackedAccuracy> attacks;
  std::vector<std::array<double, 5>> corruptions;  // in the order of kCorruptions, by severity

  double mean_corruption() const;  // over all kinds and severities
};

// Representations that are in memory: what an .npz file of them holds.
struct GivenRepresentations {
  std::string name;
  Array scales;                     // (S)
  Array train, test;                // (S, N, D)
  Array train_labels, test_labels;  // (S, N), 0 and 1
};

// Another synthetic world than the paper's, in memory: `mean` and `covariance` of a request.
struct WorldArrays {
  std::optional<Array> mean;        // d numbers, of which the direction counts
  std::optional<Array> covariance;  // d variances, or d x d
  std::optional<Array> factor;  // (d, r): its product with its transpose is added to the variances
};

// SynBench on networks, or on representations that were computed elsewhere. The defaults are the
// paper's.
struct SynbenchRequest {
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
  // Classes N(+-s m, S) in place of N(+-s 1/sqrt(d), I), Norm::two only: m along `mean` (.npy, d
  // numbers), S the `covariance` (.npy of d variances or d x d, .npz of `diagonal` and `factor`).
  // Of representations: the world that they were made of.
  std::filesystem::path mean, covariance;
  WorldArrays world = {};  // the same from memory
  std::uint64_t seed = 0;  // of the synthetic data
  Index memory_limit = 0;
  WorkShare* share = nullptr;  // who scores which models; null: this process scores all

  static std::vector<double> default_scales();  // 0.1, 0.2, ..., 4.9
};

struct SynbenchScore {
  double epsilon = 0.0;
  double threshold = 0.0;
  std::optional<double> value = {};  // Eq. 3, measured
  std::optional<double> value_se = {};
  std::optional<double> calibrated = {};  // without the bias of finite samples
  std::optional<double> calibrated_se = {};
  std::optional<double> expected = {};  // Eq. 3 from what the fitted Gaussians promise
  std::string reason;                   // why there is no `calibrated`; empty: there is
};

struct SynbenchModel {
  std::string name;
  Index dim = 0;
  Index train = 0;  // samples at each scale
  Index test = 0;
  std::vector<double> scales;
  std::vector<std::vector<ScalePoint>> points;  // [epsilon][scale]
  std::vector<SynbenchScore> scores;            // epsilons within thresholds
  // [threshold]: the epsilon whose calibrated score is above all others by more than its standard
  // error; nothing when none is.
  std::vector<std::optional<double>> best_epsilons;
  std::vector<std::string> notes;  // few samples, scales left out, ...
  double seconds = 0.0;

  // At the first threshold.
  std::optional<double> best_epsilon() const { return best_epsilons.front(); }
};

struct SynbenchResult {
  std::vector<SynbenchModel> models;  // networks, then files, in their order
  std::vector<FailedModel> failed;
  std::vector<FileDigest> inputs;
};

// Scores every network and every file. A network is run on `samples` synthetic images twice for
// every scale; as many scales at a time as the memory limit allows. A file holds `scales` (S),
// `train` and `test` (S, N, D), floats, and their `train_labels` and `test_labels` (S, N) of 0
// and 1. What cannot be scored is listed and passed over; throws Error when none is left or the
// request makes no sense.
SynbenchResult synbench_hub(ThreadPool& pool, const SynbenchRequest& request,
                            const ProgressCallback& progress);

struct RobustProbeRequest {
  std::vector<std::filesystem::path> inputs;
  ImageRequest images;
  std::vector<double> epsilons = {0.0, 0.5};  // to train against; the others attack each head too
  bool best_epsilon = false;  // instead: 0, and the one that SynBench finds best for each network
  Index runs = 1;             // seeds
  Index steps = 10;           // of an attack by PGD, in training and testing
  Index final_steps = 50;     // of each APGD in testing; 0: none
  Index restarts = 2;         // of APGD on the cross-entropy
  Index queries = 200;        // of the Square attack; 0: none
  Index epochs = 5;
  Index batch = 48;
  double rate = 0.1;
  std::uint64_t seed = 0;
  Index memory_limit = 0;  // 0: none; half of it is for attacked training images
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

struct RobustProbeResult {
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
RobustProbeResult robust_probe_hub(ThreadPool& pool, const RobustProbeRequest& request,
                                   const ProgressCallback& progress);

}  // namespace assay
