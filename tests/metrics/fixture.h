#pragma once

#include <vector>

#include "metrics/samples.h"
#include "support.h"

namespace assay::test {

// features: n x D.
inline Samples samples_of(const Matrix& features, const std::vector<Label>& labels,
                          std::uint64_t seed = 0) {
  return {pool(), features.transpose(), labels, seed};
}
inline Samples samples_of(const Sample& sample, std::uint64_t seed = 0) {
  return samples_of(sample.features, sample.targets.labels, seed);
}

// Rows of positive numbers that sum to 1 and lean towards source class (label mod sources).
inline Matrix source_probabilities(const std::vector<Label>& labels, Index sources,
                                   std::uint64_t seed) {
  Matrix p = gaussian(static_cast<Index>(labels.size()), sources, seed);
  for (Index i = 0; i < p.rows(); ++i) p(i, labels[static_cast<std::size_t>(i)] % sources) += 1.5;
  p = p.array().exp();
  const Vector sums = p.rowwise().sum();
  return sums.cwiseInverse().asDiagonal() * p;
}

}  // namespace assay::test
