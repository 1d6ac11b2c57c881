#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assay/targets.h"
#include "assay/types.h"

namespace assay {

// Which of `count` folds each sample belongs to.
struct Folds {
  Index count = 0;
  std::vector<Index> of_row;
};

// Seeded folds, stratified by class: the samples of every class, in random
// order, are dealt out one after another, the next class going on where the last
// one stopped, so that folds differ by at most one sample in all and in each class.
// Regression and multi-label targets are dealt out in random order. At most as
// many folds as samples; none at all for fewer than two: without its only fold
// nothing would be left.
Folds stratified_folds(const Targets& targets, Index count, std::uint64_t seed);

// Folds that never split a group (the tokens of a sentence, the frames of a
// video): groups in random order, each to the fold that is smallest so far. None
// for fewer than two groups.
Folds grouped_folds(std::span<const Label> group_of_row, Index count, std::uint64_t seed);

}  // namespace assay
