#include "metrics/neighbour_scan.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>

#include "data/check_finite.h"
#include "linalg/gram.h"

namespace assay {
namespace {

constexpr Index kBlock = 2048;     // samples that go by together
constexpr Index kQueryTile = 128;  // queries of one task
constexpr Index kPrepared = 128;   // samples one task reads
constexpr float kNothingYet = -std::numeric_limits<float>::infinity();

// Some samples as they are and at unit length in float.
template <typename T>
struct Prepared {
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> raw;  // D x count
  FloatMatrix unit;
  Vector largest;  // entry of each; 1 where all are zero
  Vector norm;     // in units of that; 1 where all are zero

  explicit Prepared(Index dim, Index count)
      : raw(dim, count), unit(dim, count), largest(count), norm(count) {}

  // The largest entry first: squares of huge or tiny values leave the range.
  auto in_range(Index i) const { return raw.col(i).template cast<double>().array() / largest[i]; }
};

template <typename T>
double exact_cosine(const Prepared<T>& a, Index i, const Prepared<T>& b, Index j) {
  return a.in_range(i).matrix().dot(b.in_range(j).matrix()) / a.norm[i] / b.norm[j];
}

template <typename T>
class NeighbourScan {
 public:
  NeighbourScan(const Samples& samples, std::span<const Index> queries, Index k)
      : samples_(samples),
        chosen_(queries),
        k_(static_cast<std::size_t>(k)),
        queries_(samples.dim(), std::ssize(queries)),
        block_(samples.dim(), std::min(kBlock, samples.count())),
        found_(queries.size()),
        bar_(queries.size(), kNothingYet) {}

  std::vector<ScannedNeighbour> run() {
    prepare_queries();
    const std::vector<Index> all = every_sample(samples_.count());
    for (Index first = 0; first < samples_.count(); first += kBlock) {
      const auto rows = std::span<const Index>(all).subspan(
          static_cast<std::size_t>(first),
          static_cast<std::size_t>(std::min(kBlock, samples_.count() - first)));
      prepare(rows, block_, 0);
      samples_.pool().run((std::ssize(chosen_) + kQueryTile - 1) / kQueryTile,
                          [&](Index task) { compare(task * kQueryTile, rows); });
      samples_.release(first, first + std::ssize(rows));
    }
    std::vector<ScannedNeighbour> out;
    for (const std::vector<ScannedNeighbour>& nearest : found_)
      out.insert(out.end(), nearest.begin(), nearest.end());
    return out;
  }

 private:
  // They lie all over the file: its pages go back block by block.
  void prepare_queries() {
    for (Index first = 0, done = 0; first < samples_.count(); first += kBlock) {
      const Index end = std::min(first + kBlock, samples_.count());
      const auto stop = std::lower_bound(chosen_.begin() + done, chosen_.end(), end);
      const Index count = stop - (chosen_.begin() + done);
      prepare(chosen_.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count)),
              queries_, done);
      samples_.release(first, end);
      done += count;
    }
  }

  // `to` holds them from `place` on.
  void prepare(std::span<const Index> rows, Prepared<T>& to, Index place) const {
    samples_.pool().run((std::ssize(rows) + kPrepared - 1) / kPrepared, [&](Index task) {
      const Index first = task * kPrepared;
      const auto part =
          rows.subspan(static_cast<std::size_t>(first),
                       static_cast<std::size_t>(std::min(kPrepared, std::ssize(rows) - first)));
      samples_.copy(part, to.raw.col(place + first).data());
      for (std::size_t at = 0; at < part.size(); ++at) {
        const Index i = place + first + static_cast<Index>(at);
        if (samples_.streamed() != nullptr)
          checked_magnitude(*samples_.streamed()->rows, part[at], to.raw.col(i).data());
        const auto largest = static_cast<double>(to.raw.col(i).cwiseAbs().maxCoeff());
        to.largest[i] = largest > 0.0 ? largest : 1.0;
        const double norm = to.in_range(i).matrix().norm();
        to.norm[i] = norm > 0.0 ? norm : 1.0;
        to.unit.col(i) = (to.in_range(i) / to.norm[i]).matrix().template cast<float>();
      }
    });
  }

  // Products of unit vectors: entries are rounded, then D of them summed in any order.
  float error() const { return static_cast<float>(samples_.dim() + 4) * 0x1.0p-24F; }

  // Beyond these (copies, collapsed features) products of whole tiles in double are faster.
  static constexpr Index kMostCompared = 64 + kBlock / 64;

  void compare(Index first, std::span<const Index> rows) {
    const Index count = std::min(kQueryTile, std::ssize(chosen_) - first);
    const FloatMatrix rough = product(block_.unit.leftCols(std::ssize(rows)), true,
                                      queries_.unit.middleCols(first, count), false);
    std::optional<Matrix> exact;
    std::vector<Index> near;
    for (Index q = 0; q < count; ++q) {
      const float bar = bar_[static_cast<std::size_t>(first + q)];
      near.clear();
      for (Index j = 0; j < rough.rows(); ++j)
        if (rough(j, q) >= bar) near.push_back(j);
      // Before k are known every sample is near: they raise the bar one by one.
      const bool many = bar > kNothingYet && std::ssize(near) > kMostCompared;
      if (many && !exact) exact = exact_cosines(first, count, std::ssize(rows));
      for (const Index j : near) {
        if (rough(j, q) < bar_[static_cast<std::size_t>(first + q)]) continue;
        const double cosine = many ? (*exact)(j, q) : exact_cosine(queries_, first + q, block_, j);
        consider(first + q, {1.0 - cosine, rows[static_cast<std::size_t>(j)]});
      }
    }
  }

  Matrix exact_cosines(Index first, Index count, Index rows) const {
    Matrix tile(samples_.dim(), count);
    for (Index q = 0; q < count; ++q)
      tile.col(q) = queries_.in_range(first + q) / queries_.norm[first + q];
    Matrix out(rows, count);
    for (Index top = 0; top < rows; top += kPrepared) {
      Matrix others(samples_.dim(), std::min(kPrepared, rows - top));
      for (Index j = 0; j < others.cols(); ++j)
        others.col(j) = block_.in_range(top + j) / block_.norm[top + j];
      out.middleRows(top, others.cols()) = product(others, true, tile, false);
    }
    return out;
  }

  // Samples come in their order, so that those at the same distance stay in it.
  void consider(Index query, ScannedNeighbour other) {
    const auto at = static_cast<std::size_t>(query);
    if (other.sample == chosen_[at]) return;
    std::vector<ScannedNeighbour>& nearest = found_[at];
    const bool full = nearest.size() == k_;
    if (full && !(other.distance < nearest.back().distance)) return;
    nearest.insert(
        std::ranges::upper_bound(nearest, other.distance, {}, &ScannedNeighbour::distance), other);
    if (full) nearest.pop_back();
    if (nearest.size() == k_)
      bar_[at] = static_cast<float>(1.0 - nearest.back().distance) - 2.0F * error();
  }

  const Samples& samples_;
  std::span<const Index> chosen_;
  std::size_t k_;
  Prepared<T> queries_;
  Prepared<T> block_;
  std::vector<std::vector<ScannedNeighbour>> found_;
  std::vector<float> bar_;  // below this nothing is nearer than what was found
};

Index bytes_per_sample(Index dim) { return (Index{sizeof(double)} + Index{sizeof(float)}) * dim; }

template <typename T>
std::vector<ScannedNeighbour> scan(const Samples& samples, std::span<const Index> queries, Index k,
                                   Index together) {
  std::vector<ScannedNeighbour> out;
  for (std::size_t first = 0; first < queries.size(); first += static_cast<std::size_t>(together)) {
    const auto part = queries.subspan(
        first, std::min(static_cast<std::size_t>(together), queries.size() - first));
    const std::vector<ScannedNeighbour> found = NeighbourScan<T>(samples, part, k).run();
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace

Index neighbour_scan_memory(Index dim, Index threads) {
  const Index tile = kQueryTile * kBlock * Index{sizeof(float) + sizeof(double)} +
                     3 * kPrepared * dim * Index{sizeof(double)};
  return (kBlock + kQueryTile) * bytes_per_sample(dim) + threads * tile;
}

std::vector<ScannedNeighbour> scan_for_neighbours(const Samples& samples,
                                                  std::span<const Index> queries, Index k,
                                                  Index memory) {
  assert(k >= 1 && k < samples.count());
  const Index spare = memory - neighbour_scan_memory(samples.dim(), samples.pool().threads());
  const Index together = kQueryTile + std::max<Index>(0, spare) / bytes_per_sample(samples.dim());
  return samples.holds_floats() ? scan<float>(samples, queries, k, together)
                                : scan<double>(samples, queries, k, together);
}

}  // namespace assay
