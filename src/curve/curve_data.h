#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/curve.h"
#include "assay/hub.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "curve/probes.h"
#include "curve/schedule.h"

namespace assay {

// What the request's seed is used for; each use has seeds of its own (mixed_seed).
enum CurveSeed : std::uint64_t {
  kSplitSeed = 1,
  kOrderSeed = 2,
  kProbeSeed = 3,
  kCertifySeed = 4,
  kBootstrapSeed = 5,
};

// The features of one model, ready for probes.
struct CurveFeatures {
  ProbeData data;
  std::vector<FileDigest> digests;
};

// Which rows train and which judge, the same for every model of a hub.
class CurveData {
 public:
  explicit CurveData(const CurveRequest& request);  // throws Error

  const std::vector<Model>& models() const { return models_.models; }
  const Targets& targets() const { return targets_; }
  const Split& split() const { return split_; }  // held_out empty with files of its own
  // True: the rows to judge by are others than those of targets().
  bool has_own_validation() const { return own_validation_; }
  const Targets& validation_targets() const { return validation_targets_; }
  Index train_rows() const { return static_cast<Index>(split_.train.size()); }
  Index validation_rows() const;
  Index classes() const;   // 0: regression
  double entropy() const;  // of the validation labels, nats
  double chance(LossKind loss) const;

  // Positions in the training part, in the order of a seed.
  std::vector<Index> order(Index seed) const;

  // Read, checked, split and standardised: by the training rows, or by the validation rows.
  enum class Standard { training, validation };
  CurveFeatures load_model(ThreadPool& pool, const Model& files, Standard standard,
                           bool in_float) const;

 private:
  const CurveRequest& request_;
  ModelList models_;
  ModelList validation_models_;
  Targets targets_;
  bool own_validation_ = false;
  Targets validation_targets_;  // with files of its own
  Split split_;
};

}  // namespace assay
