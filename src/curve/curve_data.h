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
  kFitSeed = 6,
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
  // A split of its own for every seed, so that every row judges in some; with files of its own all
  // rows train and none is held out.
  const Split& split(Index seed) const { return splits_[static_cast<std::size_t>(seed)]; }
  // True: the rows to judge by are others than those of targets().
  bool has_own_validation() const { return own_validation_; }
  const Targets& validation_targets() const { return validation_targets_; }
  const std::vector<Label>& groups() const { return groups_; }  // of rows, or empty
  Index group_count() const;
  Index train_rows() const { return train_rows_; }  // of the seed that has the fewest
  Index validation_rows() const;                    // of a seed
  Index classes() const;                            // 0: regression
  double entropy() const;                           // of the labels to judge by, nats
  double chance(LossKind loss) const;

  // Rows to train on, in the order of a seed.
  std::vector<Index> order(Index seed) const;

  // Read, checked and standardised: by all rows (no label is used), or by those that seed 0 holds
  // out, or the validation rows of their own.
  enum class Standard { all, held_out };
  CurveFeatures load_model(ThreadPool& pool, const Model& files, Standard standard,
                           bool in_float) const;

 private:
  void split_rows();

  const CurveRequest& request_;
  ModelList models_;
  ModelList validation_models_;
  Targets targets_;
  std::vector<Label> groups_;
  bool own_validation_ = false;
  Targets validation_targets_;  // with files of its own
  std::vector<Split> splits_;   // one per seed
  Index train_rows_ = 0;
};

}  // namespace assay
