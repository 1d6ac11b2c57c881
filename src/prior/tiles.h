#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// A block of a symmetric n x n matrix, on or below the diagonal.
struct Tile {
  Index row = 0, rows = 0, col = 0, cols = 0;

  bool diagonal() const { return row == col; }
  double weight() const { return diagonal() ? 1.0 : 2.0; }  // its mirror image counts too
};

inline Index tile_side(Index count) { return std::clamp<Index>(count / 16, 32, 512); }

inline std::vector<Tile> lower_tiles(Index count) {
  const Index side = tile_side(count);
  std::vector<Tile> out;
  for (Index row = 0; row < count; row += side) {
    for (Index col = 0; col <= row; col += side)
      out.push_back({row, std::min(side, count - row), col, std::min(side, count - col)});
  }
  return out;
}

// Sums of what `work` leaves in `width` numbers for each tile, taken in a fixed order. `done` is
// told how many tiles are finished, and may be empty.
inline std::vector<double> sum_over_tiles(
    ThreadPool& pool, Index count, Index width,
    const std::function<void(const Tile&, double* out)>& work,
    const std::function<void(Index done, Index all)>& done = {}) {
  const std::vector<Tile> tiles = lower_tiles(count);
  const auto all = static_cast<Index>(tiles.size());
  constexpr Index together = 4096;  // tiles whose sums are kept apart
  std::vector<double> total(static_cast<std::size_t>(width), 0.0);
  for (Index first = 0; first < all; first += together) {
    const Index part = std::min(together, all - first);
    Matrix sums = Matrix::Zero(width, part);
    pool.run(part, [&](Index k) {
      work(tiles[static_cast<std::size_t>(first + k)], sums.col(k).data());
    });
    for (Index k = 0; k < part; ++k)
      for (Index w = 0; w < width; ++w) total[static_cast<std::size_t>(w)] += sums(w, k);
    if (done) done(first + part, all);
  }
  return total;
}

}  // namespace assay
