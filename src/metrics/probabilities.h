#pragma once

#include <vector>

#include "assay/metric.h"
#include "assay/types.h"

namespace assay {

// What a source model says about each sample: probabilities of its own Z source classes (or of the
// components of a mixture), beside the labels of the task. For LEEP and its kin.
struct Probabilities {
  Matrix p;                   // n x Z, non-negative; rows sum to 1 unless said otherwise
  std::vector<Label> labels;  // 0 ... classes - 1, every class present; empty with soft labels
  Matrix soft;                // n x K in place of labels, or empty: rows sum to 1
  Vector shares;              // of each class among the samples, none is 0
  PactranSettings pactran = {};

  Index count() const { return p.rows(); }
  Index classes() const { return shares.size(); }
};

// Labels as they come: classes without samples and source classes without mass are left out.
Probabilities make_probabilities(Matrix p, const std::vector<Label>& labels);

// The same with soft labels: rows of probabilities of the classes. A sample counts once for every
// class, by its probability.
Probabilities make_soft_probabilities(Matrix p, Matrix soft);

// K x Z: sums of the rows of p by class.
Matrix class_masses(const Probabilities& source);

}  // namespace assay
