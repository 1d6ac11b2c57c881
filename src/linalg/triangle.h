#pragma once

#include <algorithm>

#include "assay/types.h"

namespace assay {

// Calls work(row, col, rows, cols) for the blocks of a square matrix on and below its diagonal,
// small enough to be transposed in cache.
template <typename Work>
void for_blocks_below(Index size, const Work& work) {
  constexpr Index width = 64;
  for (Index col = 0; col < size; col += width) {
    for (Index row = col; row < size; row += width)
      work(row, col, std::min(width, size - row), std::min(width, size - col));
  }
}

// matrix(j, i) = entry(i, j) for j < i: fills the strict upper triangle of a square matrix.
template <typename Entry>
void fill_above(Matrix& matrix, const Entry& entry) {
  for_blocks_below(matrix.rows(), [&](Index row, Index col, Index rows, Index cols) {
    for (Index j = col; j < col + cols; ++j) {
      for (Index i = std::max(row, j + 1); i < row + rows; ++i) matrix(j, i) = entry(i, j);
    }
  });
}

}  // namespace assay
