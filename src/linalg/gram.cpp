#include "linalg/gram.h"

#include <algorithm>
#include <vector>

#include "core/dispatch.h"
#include "linalg/lapack.h"

namespace assay {
namespace {

// Larger tiles pack their panels less often; smaller ones share out better.
constexpr Index kLargestTile = 512;
// Longest sum taken in float: rounding grows with its length, speed does not.
constexpr Index kFloatTerms = 512;
// Terms that one call adds up before it adds them to what is there. Kernels differ in how many they
// sum in one go; a sum of m positive terms, one by one, errs by about sqrt(m) u / 3 of itself (root
// mean square, u = 2^-24). With sums of 128, and of four of those, that is 2 u; in one go 7.5 u.
constexpr Index kTermsInOneGo = 128;

struct Tile {
  Index row = 0, col = 0, rows = 0, cols = 0;
  bool diagonal() const { return row == col; }
};

// Depends on the dimension alone, never on the number of threads.
Index tile_size(Index dim) { return std::clamp<Index>((dim / 3 + 63) / 64 * 64, 64, kLargestTile); }

std::vector<Tile> lower_tiles(Index dim) {
  const Index size = tile_size(dim);
  std::vector<Tile> tiles;
  for (Index col = 0; col < dim; col += size) {
    for (Index row = col; row < dim; row += size) {
      tiles.push_back({row, col, std::min(size, dim - row), std::min(size, dim - col)});
    }
  }
  return tiles;
}

void add_tile(const GramUpdate<double>& update, const Tile& tile) {
  const double one = 1.0;
  const int dim = static_cast<int>(update.gram->rows());
  const int rows = static_cast<int>(tile.rows);
  const int cols = static_cast<int>(tile.cols);
  const int count = static_cast<int>(update.count);
  double* out = update.gram->data() + tile.col * dim + tile.row;
  if (tile.diagonal()) {
    dsyrk_("L", "N", &rows, &count, &one, update.samples + tile.row, &dim, &one, out, &dim);
    return;
  }
  dgemm_("N", "T", &rows, &cols, &count, &one, update.samples + tile.row, &dim,
         update.samples + tile.col, &dim, &one, out, &dim);
}

void add_floats(const float* in, Index count, double* out) {
  for (Index i = 0; i < count; ++i) out[i] += static_cast<double>(in[i]);
}

void add_tile(const GramUpdate<float>& update, const Tile& tile) {
  const float one = 1.0F;
  const int dim = static_cast<int>(update.gram->rows());
  const int rows = static_cast<int>(tile.rows);
  const int cols = static_cast<int>(tile.cols);
  thread_local std::vector<float> scratch(static_cast<std::size_t>(kLargestTile * kLargestTile));
  for (Index first = 0; first < update.count; first += kFloatTerms) {
    const Index last = std::min(first + kFloatTerms, update.count);
    for (Index from = first; from < last; from += kTermsInOneGo) {
      const int count = static_cast<int>(std::min(kTermsInOneGo, last - from));
      const float* samples = update.samples + from * dim;
      const float keep = from == first ? 0.0F : 1.0F;
      if (tile.diagonal()) {
        ssyrk_("L", "N", &rows, &count, &one, samples + tile.row, &dim, &keep, scratch.data(),
               &rows);
      } else {
        sgemm_("N", "T", &rows, &cols, &count, &one, samples + tile.row, &dim, samples + tile.col,
               &dim, &keep, scratch.data(), &rows);
      }
    }
    for (Index j = 0; j < tile.cols; ++j) {
      const Index from = tile.diagonal() ? j : 0;
      for_this_processor<add_floats>(scratch.data() + j * rows + from, tile.rows - from,
                                     update.gram->data() + (tile.col + j) * dim + tile.row + from);
    }
  }
}

template <typename T>
void add_all(ThreadPool& pool, std::span<const GramUpdate<T>> updates) {
  if (updates.empty()) return;
  const std::vector<Tile> tiles = lower_tiles(updates.front().gram->rows());
  const auto tile_count = static_cast<Index>(tiles.size());
  pool.run(tile_count * static_cast<Index>(updates.size()), [&](Index task) {
    const GramUpdate<T>& update = updates[static_cast<std::size_t>(task / tile_count)];
    if (update.count > 0) add_tile(update, tiles[static_cast<std::size_t>(task % tile_count)]);
  });
}

void gemm(const char* ta, const char* tb, const int* m, const int* n, const int* k, const double* a,
          const int* lda, const double* b, const int* ldb, double* c) {
  const double one = 1.0;
  const double zero = 0.0;
  dgemm_(ta, tb, m, n, k, &one, a, lda, b, ldb, &zero, c, m);
}

void gemm(const char* ta, const char* tb, const int* m, const int* n, const int* k, const float* a,
          const int* lda, const float* b, const int* ldb, float* c) {
  const float one = 1.0F;
  const float zero = 0.0F;
  sgemm_(ta, tb, m, n, k, &one, a, lda, b, ldb, &zero, c, m);
}

template <typename Out, typename Block>
Out multiply(const Block& a, bool transpose_a, const Block& b, bool transpose_b) {
  const int rows = static_cast<int>(transpose_a ? a.cols() : a.rows());
  const int inner = static_cast<int>(transpose_a ? a.rows() : a.cols());
  const int cols = static_cast<int>(transpose_b ? b.rows() : b.cols());
  const int lda = std::max(1, static_cast<int>(a.outerStride()));
  const int ldb = std::max(1, static_cast<int>(b.outerStride()));
  if (rows == 0 || cols == 0 || inner == 0) return Out::Zero(rows, cols);
  Out c(rows, cols);
  gemm(transpose_a ? "T" : "N", transpose_b ? "T" : "N", &rows, &cols, &inner, a.data(), &lda,
       b.data(), &ldb, c.data());
  return c;
}

}  // namespace

void add_to_grams(ThreadPool& pool, std::span<const GramUpdate<float>> updates) {
  add_all(pool, updates);
}
void add_to_grams(ThreadPool& pool, std::span<const GramUpdate<double>> updates) {
  add_all(pool, updates);
}

Matrix inner_products(const Matrix& x, bool of_columns) {
  const int ld = static_cast<int>(x.rows());
  const int p = static_cast<int>(of_columns ? x.cols() : x.rows());
  const int depth = static_cast<int>(of_columns ? x.rows() : x.cols());
  Matrix out = Matrix::Zero(p, p);
  if (x.size() == 0) return out;
  const double one = 1.0;
  const double zero = 0.0;
  dsyrk_("L", of_columns ? "T" : "N", &p, &depth, &one, x.data(), &ld, &zero, out.data(), &p);
  return out;
}

Matrix product(const ConstBlock& a, bool transpose_a, const ConstBlock& b, bool transpose_b) {
  return multiply<Matrix>(a, transpose_a, b, transpose_b);
}

FloatMatrix product(const ConstFloatBlock& a, bool transpose_a, const ConstFloatBlock& b,
                    bool transpose_b) {
  return multiply<FloatMatrix>(a, transpose_a, b, transpose_b);
}

}  // namespace assay
