#include "metrics/knn.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "data/draw_evenly.h"
#include "linalg/gram.h"
#include "metrics/held_out.h"
#include "metrics/neighbour_scan.h"
#include "metrics/real_targets.h"
#include "metrics/samples.h"
#include "metrics/soft_neighbours.h"

namespace assay {
namespace {

constexpr Index kNeighbours = 5;
constexpr Index kKnnTile = 128;  // samples one task finds the neighbours of
// What queries may take where all samples are held, bytes.
constexpr Index kMemoryForQueries = Index{512} << 20;

struct Neighbour {
  double distance = 0.0;
  Label label = 0;
};

// Cosine similarities of samples (D x n), roughly by products in float or exactly.
template <typename Features>
class Cosine {
 public:
  Cosine(ThreadPool& pool, const Features& features)
      : features_(features),
        largest_(Vector::Ones(features.cols())),
        norm_(Vector::Ones(features.cols())),
        rough_(features.rows(), features.cols()) {
    pool.run((features.cols() + kKnnTile - 1) / kKnnTile, [&](Index task) {
      const Index end = std::min((task + 1) * kKnnTile, features.cols());
      for (Index i = task * kKnnTile; i < end; ++i) {
        // The largest entry first: squares of huge or tiny values leave the range.
        const double largest = features.col(i).cwiseAbs().maxCoeff();
        if (largest > 0.0) largest_[i] = largest;
        const double norm = in_range(i).matrix().norm();
        if (norm > 0.0) norm_[i] = norm;
        rough_.col(i) = unit(i).template cast<float>();
      }
    });
  }

  // With samples `first` ... `first + count - 1`, n x count.
  FloatMatrix rough(Index first, Index count) const {
    return product(rough_, true, rough_.middleCols(first, count), false);
  }

  // What that may be off by: entries are rounded, then D products summed in any order.
  float error() const { return static_cast<float>(features_.rows() + 4) * 0x1.0p-24F; }

  Matrix exact(Index first, Index count) const {
    Matrix tile(features_.rows(), count);
    for (Index i = 0; i < count; ++i) tile.col(i) = unit(first + i);
    Matrix out(features_.cols(), count);
    Matrix others;
    for (Index top = 0; top < features_.cols(); top += kKnnTile) {
      others.resize(features_.rows(), std::min(kKnnTile, features_.cols() - top));
      for (Index j = 0; j < others.cols(); ++j) others.col(j) = unit(top + j);
      out.middleRows(top, others.cols()) = product(others, true, tile, false);
    }
    return out;
  }

  double exact_between(Index i, Index j) const {
    return in_range(i).matrix().dot(in_range(j).matrix()) / norm_[i] / norm_[j];
  }

 private:
  auto in_range(Index i) const {
    return features_.col(i).template cast<double>().array() / largest_[i];
  }
  auto unit(Index i) const { return (in_range(i) / norm_[i]).matrix(); }

  const Features& features_;
  Vector largest_;
  Vector norm_;
  FloatMatrix rough_;
};

// All samples but `self` whose similarity is at most `margin` below the k-th largest.
template <typename Column>
void candidates(const Column& similarity, Index self, Index k, float margin,
                std::vector<Index>& out) {
  using Real = typename Column::Scalar;
  std::vector<Real> top(static_cast<std::size_t>(k), -std::numeric_limits<Real>::infinity());
  for (Index j = 0; j < similarity.size(); ++j) {
    const Real value = similarity[j];
    if (value <= top.back() || j == self) continue;
    const auto place = std::upper_bound(top.begin(), top.end(), value, std::greater<>());
    std::move_backward(place, top.end() - 1, top.end());
    *place = value;
  }
  const Real least = top.back() - margin;
  out.clear();
  for (Index j = 0; j < similarity.size(); ++j) {
    if (similarity[j] >= least && j != self) out.push_back(j);
  }
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

// Finds the neighbours of all samples: in float first, which leaves a handful to compare exactly.
template <typename Features>
class NeighbourSearch {
 public:
  NeighbourSearch(const Samples& samples, const Features& features, Index k)
      : samples_(samples), cosine_(samples.pool(), features), k_(k) {}

  std::vector<double> outcomes() const {
    const Index n = samples_.count();
    std::vector<double> right(static_cast<std::size_t>(n), 0.0);
    samples_.pool().run((n + kKnnTile - 1) / kKnnTile, [&](Index task) {
      const Index first = task * kKnnTile;
      const Index count = std::min(kKnnTile, n - first);
      const FloatMatrix rough = cosine_.rough(first, count);
      std::optional<Matrix> exact;
      std::vector<Index> found;
      for (Index i = first; i < first + count; ++i) {
        if (!exact) {
          candidates(rough.col(i - first), i, k_, 2.0F * cosine_.error(), found);
          if (std::ssize(found) > most_compared()) exact = cosine_.exact(first, count);
        }
        if (exact) candidates(exact->col(i - first), i, k_, 0.0F, found);
        std::vector<Neighbour> near;
        for (const Index j : found) {
          const double similarity = exact ? (*exact)(j, i - first) : cosine_.exact_between(i, j);
          near.push_back({1.0 - similarity, samples_.labels()[static_cast<std::size_t>(j)]});
        }
        const auto self = static_cast<std::size_t>(i);
        right[self] = vote(nearest(std::move(near))) == samples_.labels()[self] ? 1.0 : 0.0;
      }
    });
    return right;
  }

 private:
  // Beyond these (copies, collapsed features) a product of whole tiles is faster.
  Index most_compared() const { return k_ + 64 + samples_.count() / 64; }

  // Those at the same distance in the order of the samples.
  std::vector<Neighbour> nearest(std::vector<Neighbour> near) const {
    std::ranges::stable_sort(near, {}, &Neighbour::distance);
    near.resize(static_cast<std::size_t>(k_));
    return near;
  }

  const Samples& samples_;
  Cosine<Features> cosine_;
  Index k_;
};

}  // namespace

namespace {

// Outcomes of the queries alone; NaN of all other samples.
std::vector<double> scanned_outcomes(const Samples& samples, std::span<const Index> queries,
                                     Index k) {
  const Index neighbours = std::min(k, samples.count() - 1);
  const Index memory =
      samples.streamed() != nullptr ? samples.streamed()->memory : kMemoryForQueries;
  const std::vector<ScannedNeighbour> found =
      scan_for_neighbours(samples, queries, neighbours, memory);
  std::vector<double> right(static_cast<std::size_t>(samples.count()),
                            std::numeric_limits<double>::quiet_NaN());
  std::vector<Neighbour> near;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    near.clear();
    for (std::size_t i = 0; i < static_cast<std::size_t>(neighbours); ++i) {
      const ScannedNeighbour& one = found[q * static_cast<std::size_t>(neighbours) + i];
      near.push_back({one.distance, samples.labels()[static_cast<std::size_t>(one.sample)]});
    }
    const auto self = static_cast<std::size_t>(queries[q]);
    right[self] = vote(near) == samples.labels()[self] ? 1.0 : 0.0;
  }
  return right;
}

// As many that the work is that of all pairs of knn_exact_rows samples, spread over the classes.
std::vector<Index> drawn_queries(const Samples& samples) {
  const Index exact = samples.knn_exact_rows();
  const auto share = static_cast<double>(exact) / static_cast<double>(samples.count());
  const auto wanted = static_cast<Index>(std::ceil(static_cast<double>(exact) * share));
  // The draw is no choice of the user's: the same samples give the same score.
  return draw_evenly(samples.labels(), samples.count(), std::max<Index>(1, wanted), 1, 1).front();
}

Score knn_of_queries(const Samples& samples) {
  const std::vector<Index> queries = drawn_queries(samples);
  Score score;
  score.per_sample = scanned_outcomes(samples, queries, kNeighbours);
  double right = 0.0;
  for (const Index i : queries) right += score.per_sample[static_cast<std::size_t>(i)];
  const auto count = static_cast<double>(queries.size());
  score.value = right / count;
  const double variance = score.value * (1.0 - score.value) / std::max(1.0, count - 1.0);
  score.details = {{"queries", count}, {"standard_error", std::sqrt(variance)}};
  score.flags.emplace_back("sampled_queries");
  return score;
}

}  // namespace

std::vector<double> knn_outcomes(const Samples& samples, Index k) {
  const Index neighbours = std::min(k, samples.count() - 1);
  if (neighbours < 1) return std::vector<double>(static_cast<std::size_t>(samples.count()), 0.0);
  if (samples.streamed() != nullptr)
    return scanned_outcomes(samples, every_sample(samples.count()), neighbours);
  if (samples.floats() != nullptr)
    return NeighbourSearch(samples, *samples.floats(), neighbours).outcomes();
  return NeighbourSearch(samples, samples.features(), neighbours).outcomes();
}

// The rule of Cover and Hart (IEEE Trans. Inf. Theory 1967) with five neighbours, each sample left
// out of its own vote (knn.h).
Score knn(const Samples& samples) {
  if (samples.kind() != TargetKind::classes) return knn_of_numbers(samples);
  if (samples.count() > samples.knn_exact_rows()) return knn_of_queries(samples);
  Score score;
  score.per_sample = knn_outcomes(samples, kNeighbours);
  score.value = std::accumulate(score.per_sample.begin(), score.per_sample.end(), 0.0) /
                static_cast<double>(samples.count());
  if (samples.streamed() == nullptr && wants_held_out(samples.count(), samples.classes()))
    score.held_out = soft_neighbour_likelihood(samples);
  if (samples.count() <= kNeighbours) score.flags.emplace_back("too_few");
  return score;
}

Index knn_memory(const SampleSize& size) {
  return neighbour_scan_memory(size.dim, size.threads) +
         Index{sizeof(double)} *
             (size.dim * (size.dim + size.columns) + kNumbersPerSample * size.rows);
}

}  // namespace assay
