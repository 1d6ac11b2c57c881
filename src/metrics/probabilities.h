#pragma once

#include <vector>

#include "assay/types.h"

namespace assay {

// What a source model says about each sample: probabilities of its own Z source classes (or of the
// components of a mixture), beside the labels of the task. For LEEP and its kin.
struct Probabilities {
  Matrix p;                   // n x Z, non-negative; rows sum to 1 unless said otherwise
  std::vector<Label> labels;  // 0 ... classes - 1, every class present
  std::vector<Index> counts;  // of each class

  Index count() const { return p.rows(); }
  Index classes() const { return static_cast<Index>(counts.size()); }
};

// Labels as they come: classes without samples and source classes without mass are left out.
Probabilities make_probabilities(Matrix p, const std::vector<Label>& labels);

// K x Z: sums of the rows of p by class.
Matrix class_masses(const Probabilities& source);

}  // namespace assay
