#include "curve/certify.h"

#include <algorithm>
#include <cmath>

namespace assay {

namespace {

// Products with any number of rows stay within 64 bits; no pool is that large.
constexpr double kMostBlocks = 4e9;

Index blocks_of(double count) {
  return static_cast<Index>(std::min(kMostBlocks, std::ceil(count)));
}

}  // namespace

// Theorem 4, and below the blocks of Algorithms 1 and 2 (Theorems 4 and 5, appendices A and B of
// Evaluating Representations by the Complexity of Learning Low-Loss Predictors); certify.h says
// where a constant differs from the print.
double surplus_radius(Index most_rows, Index blocks, double delta) {
  const auto m = static_cast<double>(most_rows);
  return m * std::sqrt(std::log(2.0 * m / delta) / (2.0 * static_cast<double>(blocks)));
}

Index surplus_blocks(double epsilon, double delta) {
  return blocks_of(2.0 * std::log(1.0 / delta) / (epsilon * epsilon));
}

Index complexity_blocks(double epsilon, double delta, int levels) {
  return blocks_of(2.0 * std::log(20.0 * levels / delta) / (epsilon * epsilon));
}

SurplusCertificate certify_surplus(const MeanLoss& loss, double epsilon, Index most_rows) {
  SurplusCertificate out;
  double last = 1.0;
  for (Index n = 1; n <= most_rows; ++n) {
    last = loss(n);
    out.value += std::max(0.0, last - epsilon);
  }
  out.tight = last <= 0.5 * epsilon;
  return out;
}

ComplexityCertificate certify_complexity(const MeanLoss& loss, double epsilon, Index most_rows,
                                         int levels) {
  constexpr Index parts = 10;
  ComplexityCertificate out;
  Index low = 1;
  Index high = most_rows;
  for (int level = 0; level < levels && high > low; ++level) {
    const Index width = (high - low + parts - 1) / parts;
    bool found = false;
    for (Index n = low + width; !found && n < high + width; n += width) {
      const Index size = std::min(n, high);
      out.visited.push_back(size);
      found = loss(size) <= 0.5 * epsilon;
      if (!found) continue;
      low = size - width;
      high = size;
    }
    if (!found) break;
    out.reached = true;
    if (width == 1) break;
  }
  out.rows = high;
  return out;
}

}  // namespace assay
