#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/progress.h"
#include "assay/core/types.h"
#include "assay/curve/certify.h"
#include "assay/curve/crossing.h"
#include "assay/curve/measures.h"
#include "assay/curve/probes.h"
#include "assay/hub/failed_model.h"
#include "assay/hub/given_hub.h"

namespace assay {

// What a learner of the caller's own is asked to do: learn from these rows and be judged by those,
// both by their numbers in the data. Validation data of their own have numbers of their own.
struct LearnerTask {
  Index seed = 0;
  std::span<const Index> train;
  std::span<const Index> validation;
};

// Gives the loss on the validation rows, and the accuracy where it has one. Called from one thread
// at a time, seed after seed and by ascending sizes.
using Learner = std::function<ProbeOutcome(const LearnerTask&)>;

struct CurveRequest {
  std::vector<std::filesystem::path> inputs;
  std::filesystem::path labels;
  GivenHub given = {};                           // in place of the files
  GivenHub given_validation = {};                // in place of those below
  std::map<std::string, Learner> learners = {};  // take part by these names, beside the models
  std::vector<std::filesystem::path> validation_inputs;  // the same models; empty: split the rows
  std::filesystem::path validation_labels;
  double validation_share = 0.2;   // of the rows, where there are no validation features
  std::optional<ProbeKind> probe;  // nothing: linear for classes, ridge for values
  double l2 = 10.0;
  MlpOptions mlp = {};
  std::vector<Index> sizes;  // empty: log-uniform
  Index size_count = 10;
  Index seeds = 4;
  std::optional<LossKind> loss;  // nothing: nll for classes, mse for values
  Rule rule = Rule::left;
  std::vector<double> epsilons;  // empty: one, the median final loss of the models
  int refine_levels = 0;
  std::optional<double> certify;  // delta
  Index certify_rows = 0;         // M; 0: the sample complexity of epsilon / 2 as measured
  std::optional<double> target_loss;
  std::optional<double> target_accuracy;
  std::filesystem::path journal;         // a directory; empty: none
  std::filesystem::path export_subsets;  // a directory; empty: none
  std::uint64_t seed = 0;
  Index memory_limit = 0;
};

// Guarantees for one model and tolerance, or why there are none.
struct CurveCertificate {
  double epsilon = 0.0;
  double delta = 0.0;
  Index most_rows = 0;       // M
  Index blocks = 0;          // K, independent draws of M + 1 rows
  Index rows_available = 0;  // (M + 1) K are needed
  std::string refused = {};  // empty: done
  SurplusCertificate surplus = {};
  double radius = 0.0;  // Theorem 4's
  ComplexityCertificate complexity = {};

  Index rows_needed() const { return (most_rows + 1) * blocks; }
};

struct CurveModel {
  std::string name;
  Index dim = 0;                                      // 0: a learner, which is no representation
  LossCurve curve;                                    // the common sizes
  LossCurve refined = {};                             // and those that --refine added
  std::vector<std::optional<Bracket>> brackets = {};  // per epsilon, with --refine
  std::vector<CurveCertificate> certificates = {};
  std::optional<LabelsNeeded> for_loss = std::nullopt;
  std::optional<LabelsNeeded> for_accuracy = std::nullopt;
  double mean_updates = 0.0;  // of the probes
  Index not_converged = 0;    // probes
};

struct CurveResult {
  ProbeSettings probe;
  Index train_rows = 0;
  Index validation_rows = 0;
  Index classes = 0;  // 0: regression
  std::optional<double> target_loss;
  std::optional<double> target_accuracy;
  MeasuredCurves curves;
  std::vector<CurveModel> models;  // in the order of curves.models
  std::vector<FailedModel> failed;
  std::vector<FileDigest> inputs;
  Index probes = 0;   // in all
  Index resumed = 0;  // of them found in the journal
};

// Measures the loss-data curve of every model of a hub. Probes are independent tasks of the pool;
// each finished one is journalled, so that a run that was stopped goes on where it was, and more
// seeds or sizes only add theirs. Results depend on neither threads nor interruptions.
// A model that fails is listed in `failed`; throws Error when none is left or the labels are at
// fault.
CurveResult curve_hub(ThreadPool& pool, const CurveRequest& request,
                      const ProgressCallback& progress);

}  // namespace assay
