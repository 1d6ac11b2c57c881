#pragma once

#include <optional>

#include "assay/robust.h"
#include "assay/types.h"
#include "robust/gaussian_pair.h"

namespace assay {

// What the classifier must withstand: shifts of a sample by at most epsilon in the norm.
struct Budget {
  double epsilon = 0.0;
  bool relative = true;  // epsilon is a share of the norm of half the gap between the classes
  Norm norm = Norm::two;
  // The ball lies in the eigenbasis of the covariance (Appendix C of the paper, to the letter) and
  // not in the coordinates of the representation. The same thing for Norm::two.
  bool eigenbasis = false;
};

// The classifier that loses least to the worst shift within the budget, sign((x - midpoint)'F w):
//
//     w = Lambda^-1 (mu~ - z),   z = argmin (mu~ - z)' Lambda^-1 (mu~ - z)  over the ball
//
// (Results 2.1, 2.2 and C.1). For the Euclidean ball it is linear discriminant analysis with a
// ridge, w = (Lambda + tau I)^-1 mu~.
struct RobustBayes {
  Vector weights;        // w, in the eigenbasis
  Vector shift;          // z, in the eigenbasis
  double tau = 0.0;      // Norm::two only
  double epsilon = 0.0;  // the radius itself, never a share
  bool converged = true;
};

// Nothing when the pair is degenerate or the budget covers half the gap, where every direction is
// as good as another. Norms other than two: closed form in the eigenbasis, else an interior-point
// method, some twenty steps of 2 D r^2 flops.
std::optional<RobustBayes> robust_bayes(const GaussianPair& pair, const Budget& budget);

// Half the gap in the norm and coordinates of the budget: what a relative epsilon is a share of.
double half_gap_norm(const GaussianPair& pair, const Budget& budget);

}  // namespace assay
