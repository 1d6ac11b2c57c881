#include "metrics/row_interactions.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"

namespace assay {
namespace {

constexpr Index kMostRows = 512;  // in a circle, each paired with the next few
constexpr Index kPartners = 4;
// Triples of a row, the one after it and one further on.
constexpr Index kFurther[] = {3, 4};
constexpr double kLargestCorrelation = 0.999;
constexpr double kLeastDeterminant = 1e-9;  // rounding must not decide

Index rows_in_circle(Index rows) { return std::min(rows, kMostRows); }

// Pairs at this distance; beyond half of the circle they would come twice.
bool has_distance(Index rows, Index away) {
  return away <= kPartners && 2 * away < rows_in_circle(rows);
}

double bounded(double correlation) {
  return std::clamp(correlation, -kLargestCorrelation, kLargestCorrelation);
}

double of_pair(double a, double b, double correlation) {
  const double c = bounded(correlation);
  const double left = 1.0 - c * c;
  return 0.5 * std::log(left) - 0.5 * (c * c * (a * a + b * b) - 2.0 * c * a * b) / left;
}

// With the adjugate of R; x, y, z belong to rows i, j, k.
double of_triple(double x, double y, double z, double ij, double jk, double ik) {
  const double determinant =
      std::max(1.0 + 2.0 * ij * jk * ik - ij * ij - jk * jk - ik * ik, kLeastDeterminant);
  const double square =
      x * x * (1.0 - jk * jk) + y * y * (1.0 - ik * ik) + z * z * (1.0 - ij * ij) +
      2.0 * (x * y * (ik * jk - ij) + y * z * (ij * ik - jk) + x * z * (ij * jk - ik));
  return 0.5 * std::log(determinant) - 0.5 * (square / determinant - x * x - y * y - z * z);
}

}  // namespace

std::vector<RowPair> sampled_pairs(Index rows) {
  const std::vector<Index> drawn = Random(1).permutation(rows);
  const Index count = rows_in_circle(rows);
  std::vector<RowPair> pairs;
  for (Index away = 1; has_distance(rows, away); ++away) {
    for (Index i = 0; i < count; ++i)
      pairs.push_back({drawn[static_cast<std::size_t>(i)],
                       drawn[static_cast<std::size_t>((i + away) % count)]});
  }
  return pairs;
}

std::vector<RowTriple> sampled_triples(Index rows) {
  const Index count = rows_in_circle(rows);
  std::vector<RowTriple> triples;
  for (const Index away : kFurther) {
    if (!has_distance(rows, away)) continue;
    // Pairs come distance by distance.
    for (Index i = 0; i < count; ++i)
      triples.push_back({i, (away - 2) * count + (i + 1) % count, (away - 1) * count + i});
  }
  return triples;
}

RowInteractions row_interactions(const Matrix& z, const Matrix& correlations,
                                 std::span<const RowPair> pairs,
                                 std::span<const RowTriple> triples) {
  RowInteractions out;
  Matrix alone(correlations.rows(), correlations.cols());  // of_pair
  for (Index k = 0; k < alone.cols(); ++k) {
    const RowPair& pair = pairs[static_cast<std::size_t>(k)];
    for (Index c = 0; c < alone.rows(); ++c)
      alone(c, k) = of_pair(z(c, pair.first), z(c, pair.second), correlations(c, k));
    out.pairs.push_back(alone.col(k).sum());
  }
  for (const RowTriple& triple : triples) {
    const RowPair& first = pairs[static_cast<std::size_t>(triple.first)];
    const Index third = pairs[static_cast<std::size_t>(triple.second)].second;
    double sum = 0.0;
    for (Index c = 0; c < z.rows(); ++c) {
      sum +=
          of_triple(z(c, first.first), z(c, first.second), z(c, third),
                    bounded(correlations(c, triple.first)), bounded(correlations(c, triple.second)),
                    bounded(correlations(c, triple.outer))) -
          alone(c, triple.first) - alone(c, triple.second) - alone(c, triple.outer);
    }
    out.triples.push_back(sum);
  }
  return out;
}

}  // namespace assay
