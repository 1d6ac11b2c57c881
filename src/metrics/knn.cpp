#include "assay/metrics/knn.h"

#include <algorithm>
#include <numeric>

#include "assay/linalg/gram.h"

namespace assay {
namespace {

constexpr Index kNeighbours = 5;
constexpr Index kTile = 128;  // samples one task finds the neighbours of

struct Neighbour {
  double distance = 0.0;
  Label label = 0;
};

Matrix normalized(const Matrix& features) {
  Matrix out = features;
  for (Index i = 0; i < out.cols(); ++i) {
    // The largest entry first: squares of huge or tiny values leave the range.
    const double largest = out.col(i).cwiseAbs().maxCoeff();
    if (largest > 0.0) out.col(i) /= largest;
    const double norm = out.col(i).norm();
    if (norm > 0.0) out.col(i) /= norm;
  }
  return out;
}

// Most votes; among equals the smallest summed distance, then the nearest neighbour.
Label vote(const std::vector<Neighbour>& nearest) {
  Label winner = 0;
  Index most = 0;
  double closest = 0.0;
  for (const Neighbour& candidate : nearest) {
    Index votes = 0;
    double sum = 0.0;
    for (const Neighbour& other : nearest) {
      if (other.label != candidate.label) continue;
      ++votes;
      sum += other.distance;
    }
    if (votes > most || (votes == most && sum < closest)) {
      winner = candidate.label;
      most = votes;
      closest = sum;
    }
  }
  return winner;
}

}  // namespace

std::vector<double> knn_outcomes(const Samples& samples, Index k) {
  const Index n = samples.count();
  const Index neighbours = std::min(k, n - 1);
  std::vector<double> right(static_cast<std::size_t>(n), 0.0);
  if (neighbours < 1) return right;
  const Matrix z = normalized(samples.features());
  samples.pool().run((n + kTile - 1) / kTile, [&](Index task) {
    const Index first = task * kTile;
    const Index count = std::min(kTile, n - first);
    const Matrix similarity = product(z, true, z.middleCols(first, count), false);  // n x count
    std::vector<Index> order(static_cast<std::size_t>(n));
    for (Index i = 0; i < count; ++i) {
      const auto column = similarity.col(i);
      std::iota(order.begin(), order.end(), 0);
      std::swap(order[static_cast<std::size_t>(first + i)], order.back());  // not itself
      std::partial_sort(
          order.begin(), order.begin() + neighbours, order.end() - 1,
          [&](Index a, Index b) { return column[a] != column[b] ? column[a] > column[b] : a < b; });
      std::vector<Neighbour> nearest;
      for (Index m = 0; m < neighbours; ++m) {
        const Index j = order[static_cast<std::size_t>(m)];
        nearest.push_back({1.0 - column[j], samples.labels()[static_cast<std::size_t>(j)]});
      }
      const auto self = static_cast<std::size_t>(first + i);
      right[self] = vote(nearest) == samples.labels()[self] ? 1.0 : 0.0;
    }
  });
  return right;
}

Score knn(const Samples& samples) {
  Score score;
  score.per_sample = knn_outcomes(samples, kNeighbours);
  score.value = std::accumulate(score.per_sample.begin(), score.per_sample.end(), 0.0) /
                static_cast<double>(samples.count());
  if (samples.count() <= kNeighbours) score.flags.emplace_back("too_few");
  return score;
}

}  // namespace assay
