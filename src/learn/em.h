#pragma once

#include "learn/mixture.h"

namespace assay {

// The two halves of an EM iteration.

struct Expectation {
  Matrix posteriors;            // n x K
  double log_likelihood = 0.0;  // mean per sample
};
Expectation expect(ThreadPool& pool, const Mixture& mixture, const Matrix& samples);

// The most likely parameters for given posteriors; `before` stays where a component has none.
Mixture maximize(ThreadPool& pool, const Matrix& samples, const Matrix& posteriors, Mixture before,
                 double regularisation);

// A factor of S + regularisation I, S given by its lower triangle.
Matrix regularised_factor(const Matrix& lower, double regularisation);

}  // namespace assay
