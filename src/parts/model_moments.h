#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "data/moments.h"

namespace assay {

// All that LogME and H-score need of a model's features, however many rows there are and wherever
// they lie: moments of every fold, for intervals by leaving folds out. Those of disjoint rows add,
// in any order, to the same but for the rounding of sums; classes of either side are kept.
struct ModelMoments {
  TargetKind kind = TargetKind::classes;
  std::vector<std::string> columns;  // class ids, or names of the target columns
  std::vector<Moments> folds;        // all with the same shift and scale; empty: nothing summed yet

  Index rows() const;
  Index dim() const { return folds.empty() ? 0 : folds.front().dim(); }
  Moments total() const;

  // Throws Error when dimensions, folds, or the kind of targets differ.
  ModelMoments& operator+=(const ModelMoments& other);
};

inline constexpr Index kMomentFolds = 20;

// One pass over the rows. `fold_of_row`, one entry per row, below `folds`; -1 leaves the row out.
ModelMoments moments_of_rows(ThreadPool& pool, const RowSource& rows, const Targets& targets,
                             const std::vector<Index>& fold_of_row, Index folds);

// The same for a batch of a stream: rows are dealt out to folds by class, going on from where the
// `before` rows of the stream ended.
ModelMoments moments_of_batch(ThreadPool& pool, const RowSource& rows, const Targets& targets,
                              Index before, std::uint64_t seed);

// The sums about another shift, exactly but for rounding: x' = x + d gives
// sum x'x'^T = sum x x^T + d s^T + s d^T + n d d^T, and so on for the others.
Moments shifted(const Moments& moments, const Vector& shift);

}  // namespace assay
