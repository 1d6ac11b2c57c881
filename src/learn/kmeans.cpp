#include "learn/kmeans.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "learn/centred_samples.h"
#include "linalg/gram.h"

namespace assay {
namespace {

constexpr int kMostIterations = 100;

// Lowers each distance to that from a new centre.
void approach(ThreadPool& pool, const Matrix& x, Index centre, Vector& distances) {
  pool.run(sample_blocks(x.cols()), [&](Index block) {
    const SampleRange range = sample_range(block, x.cols());
    for (Index i = range.first; i < range.first + range.count; ++i)
      distances[i] = std::min(distances[i], (x.col(i) - x.col(centre)).squaredNorm());
  });
}

// A sample with probability proportional to its weight; any when all weights are zero.
Index draw(const Vector& weights, Random& random) {
  const double total = weights.sum();
  if (!(total > 0.0)) return random.below(weights.size());
  double left = random.uniform() * total;
  Index last = 0;
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    last = i;
    left -= weights[i];
    if (left < 0.0) break;
  }
  return last;
}

Matrix first_centres(ThreadPool& pool, const Matrix& x, Index clusters, Random& random) {
  Matrix centres(x.rows(), clusters);
  Index chosen = random.below(x.cols());
  Vector distances = (x.colwise() - x.col(chosen)).colwise().squaredNorm().transpose();
  centres.col(0) = x.col(chosen);
  for (Index k = 1; k < clusters; ++k) {
    chosen = draw(distances, random);
    centres.col(k) = x.col(chosen);
    approach(pool, x, chosen, distances);
  }
  return centres;
}

// Nearest centre of each sample; ties go to the first.
struct Nearest {
  std::vector<Index> centre;
  Vector distances;  // squared
};

// |x - c|^2 = |x|^2 - 2 (x'c - |c|^2 / 2): the centre with the largest bracket is found by
// products of whole tiles; its distance is then taken directly, which does not cancel.
Nearest nearest(ThreadPool& pool, const Matrix& x, const Matrix& centres) {
  Nearest out{std::vector<Index>(static_cast<std::size_t>(x.cols())), Vector(x.cols())};
  const Vector half_norms = 0.5 * centres.colwise().squaredNorm().transpose();
  pool.run(sample_blocks(x.cols()), [&](Index block) {
    const SampleRange range = sample_range(block, x.cols());
    const Matrix tile = x.middleCols(range.first, range.count);
    Matrix closeness = product(centres, true, tile, false);
    closeness.colwise() -= half_norms;
    for (Index i = 0; i < range.count; ++i) {
      Index best = 0;
      closeness.col(i).maxCoeff(&best);
      out.centre[static_cast<std::size_t>(range.first + i)] = best;
      out.distances[range.first + i] = (tile.col(i) - centres.col(best)).squaredNorm();
    }
  });
  return out;
}

// Gives each empty cluster the sample that lies farthest from its centre.
void fill_empty(std::vector<Index>& counts, Nearest& at) {
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 0) continue;
    Index farthest = 0;
    if (!(at.distances.maxCoeff(&farthest) > 0.0)) return;
    Index& centre = at.centre[static_cast<std::size_t>(farthest)];
    --counts[static_cast<std::size_t>(centre)];
    ++counts[k];
    centre = static_cast<Index>(k);
    at.distances[farthest] = 0.0;
  }
}

// Means of the clusters; those without samples keep their centre.
Matrix moved(const Matrix& x, Nearest& at, Matrix centres) {
  std::vector<Index> counts(static_cast<std::size_t>(centres.cols()), 0);
  for (const Index k : at.centre) ++counts[static_cast<std::size_t>(k)];
  fill_empty(counts, at);
  Matrix sums = Matrix::Zero(centres.rows(), centres.cols());
  for (Index i = 0; i < x.cols(); ++i) sums.col(at.centre[static_cast<std::size_t>(i)]) += x.col(i);
  for (Index k = 0; k < centres.cols(); ++k) {
    const Index count = counts[static_cast<std::size_t>(k)];
    if (count > 0) centres.col(k) = sums.col(k) / static_cast<double>(count);
  }
  return centres;
}

}  // namespace

// Arthur and Vassilvitskii, SODA 2007, to begin with, then Lloyd's iterations (kmeans.h).
Clusters kmeans(ThreadPool& pool, const Matrix& samples, Index clusters, Random& random) {
  assert(clusters >= 1 && clusters <= samples.cols());
  const Vector mean = sample_mean(samples);
  const Matrix x = centred(samples, {0, samples.cols()}, mean);
  Clusters out;
  out.centres = first_centres(pool, x, clusters, random);
  Nearest at = nearest(pool, x, out.centres);
  while (out.iterations < kMostIterations && !out.converged) {
    ++out.iterations;
    out.centres = moved(x, at, std::move(out.centres));
    Nearest next = nearest(pool, x, out.centres);
    out.converged = next.centre == at.centre;
    at = std::move(next);
  }
  out.inertia = at.distances.sum();
  out.assignment = std::move(at.centre);
  out.centres.colwise() += mean;
  return out;
}

}  // namespace assay
