#pragma once

#include "assay/types.h"
#include "robust/bayes.h"

namespace assay {

// The point z of a ball of the 1- or infinity-norm that is nearest to mu~ in the metric Lambda^-1,
// and w = Lambda^-1 (mu~ - z); both in the eigenbasis.
struct NearestShift {
  Vector shift;
  Vector weights;
  bool converged = true;
};

// A ball in the eigenbasis: coordinates part, so both norms have closed forms.
NearestShift nearest_in_eigenbasis(const Vector& mu, const Vector& lambda, double radius,
                                   Norm norm);

// A ball in the coordinates of the representation.
NearestShift nearest_in_features(const GaussianPair& pair, double radius, Norm norm);

}  // namespace assay
