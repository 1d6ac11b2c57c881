#pragma once

#include <vector>

#include "metrics/pactran.h"

namespace assay {

// The step that both variational bounds share: with q*(z_i = z) proportional to
// M_iz exp(score_{y_i z}), the expected counts n_yz = sum_i q_iz [y_i = y] and
//
//     sum_i sum_z q_iz (log q_iz - log M_iz) = sum_yz n_yz score_yz - sum_i log N_i
//
// with N_i the normalisers: q itself is never stored, and no exponential is taken per sample.
struct Assignment {
  Matrix counts;         // K x Z
  double entropy = 0.0;  // the sum above
};

// With soft labels s_iy every n_yz = sum_i s_iy q_iyz and every log N_iy counts by s_iy.

// Takes that step again and again; keeps the rows of M by class, so that each class is two products
// of a matrix and a vector.
class Assigner {
 public:
  explicit Assigner(const Probabilities& source);
  Assignment operator()(const Matrix& scores) const;

 private:
  std::vector<Matrix> by_class_;  // n_y x Z each
  std::vector<Vector> weights_;   // of their rows; empty without soft labels
};

// Notes the bound after a sweep and tells whether another one is wanted: until it moves by less
// than 1e-12, relatively.
bool wants_another_sweep(VariationalBound& bound, double value);

// log Gamma(x) and its derivative, x > 0. Boost would take them in long double, at five times the
// cost, for the last bit.
double log_gamma(double x);
double digamma(double x);

}  // namespace assay
