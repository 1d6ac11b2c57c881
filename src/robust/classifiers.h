#pragma once

#include <span>
#include <vector>

#include "robust/synbench.h"

namespace assay {

// The classifiers of one fitted pair of Gaussians, and all that needs no test samples.
struct Classifiers {
  std::vector<ScalePoint> points;  // one per budget, nothing measured yet
  Matrix weights;                  // r x budgets, in the eigenbasis; 0 where there is no classifier
  Vector gaps;                     // mu~'w of each; 0 where there is none
  Vector taus;                     // the ridge of each; 0 without one
};

Classifiers robust_classifiers(const GaussianPair& pair, double scale,
                               std::span<const Budget> budgets, double class_prior,
                               const SyntheticWorld* world);

}  // namespace assay
