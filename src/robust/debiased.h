#pragma once

#include <string>

#include "robust/bayes.h"
#include "robust/gaussian_pair.h"

namespace assay {

// How much a number moves with m'Rm, m'R^2 m and m'm, where m is the fitted half gap, S the fitted
// covariance and R = (S + l I)^-1.
struct Sensitivity {
  double plain = 0.0;
  double squared = 0.0;
  double length = 0.0;
};

// The eps-robust Bayes classifier of the population from which a pair was fitted: its gap mu'w and
// its variance w'Sigma w, without the bias that finite samples give to those of the fitted pair.
// Derived in docs/guide/robust.md.
struct DebiasedClassifier {
  double gap = 0.0;  // 0 where noise alone explains what was seen
  double variance = 0.0;
  double ridge = 0.0;  // l: the ridge on the fitted covariance that stands for tau on the true one
  double freedom = 1.0;  // 1 - df(l) / (n - 2)
  Sensitivity gap_by, variance_by;
};

// Euclidean norm, or epsilon = 0; see why_not_debiased().
DebiasedClassifier debiased_classifier(const GaussianPair& pair, const Budget& budget);

// Empty when debiased_classifier() has an answer; otherwise why there is none.
std::string why_not_debiased(const GaussianPair& pair, const Budget& budget);

}  // namespace assay
