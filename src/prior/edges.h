#pragma once

#include <cmath>
#include <span>

#include "assay/types.h"

namespace assay {

// Of one edge of the random graph (Lemma 3.5): its probability s = sigmoid(x) and its variance
// s (1 - s), both to full relative accuracy in either tail.
struct Edge {
  double probability = 0.0;
  double variance = 0.0;
};

inline Edge edge(double x) {
  const double e = std::exp(-std::abs(x));
  const double likelier = 1.0 / (1.0 + e);
  return {x >= 0.0 ? likelier : e * likelier, e * likelier * likelier};
}

// For `count` edges with kernel entries `prior`, and each model's entries of the same edges:
// adds sum m s to expectation[model] and sum m^2 s (1 - s) to variance[model].
// In float, sums are taken in float over stretches of a thousand and in double beyond.
void add_edges(const float* prior, double inverse_temperature, std::span<const float* const> models,
               Index count, double* expectation, double* variance);
void add_edges(const double* prior, double inverse_temperature,
               std::span<const double* const> models, Index count, double* expectation,
               double* variance);

}  // namespace assay
