#include <algorithm>
#include <vector>

#include "linalg/gram.h"
#include "prior/probe_r2.h"
#include "prior/regression_errors.h"
#include "prior/tiles.h"

namespace assay {
namespace {

// Adds Z K and the diagonal of H K H; `applied` is centred when all parts are in.

// K = scale f'f: Z K = (Z f') f.
template <typename T>
void add_factor(ThreadPool& pool, const Kernel<T>& kernel, const Matrix& z, PriorImage& out) {
  const auto& f = kernel.factor();
  const Index n = z.cols();
  const Index blocks = regression_blocks(n);
  const auto at_once = static_cast<Index>(pool.threads());
  Matrix cross = Matrix::Zero(z.rows(), f.rows());
  Vector sum = Vector::Zero(f.rows());
  for (Index begin = 0; begin < blocks; begin += at_once) {
    std::vector<Matrix> parts(static_cast<std::size_t>(std::min(at_once, blocks - begin)));
    pool.run(static_cast<Index>(parts.size()), [&](Index k) {
      const auto [first, count] = regression_block(begin + k, n);
      const Matrix values = f.middleCols(first, count).template cast<double>();
      parts[static_cast<std::size_t>(k)] = product(z.middleCols(first, count), false, values, true);
    });
    for (const Matrix& part : parts) cross += part;
  }
  for (Index i = 0; i < n; ++i) sum += f.col(i).template cast<double>();
  const Vector mean = sum / static_cast<double>(n);
  const double scale = kernel.scale();
  pool.run(blocks, [&](Index block) {
    const auto [first, count] = regression_block(block, n);
    const Matrix values = f.middleCols(first, count).template cast<double>();
    out.applied.middleCols(first, count) += scale * product(cross, false, values, false);
    out.variance.segment(first, count) +=
        scale * (values.colwise() - mean).colwise().squaredNorm().transpose();
  });
}

// Entries one tile after another.
template <typename T>
void add_tiles(ThreadPool& pool, const Kernel<T>& kernel, const Matrix& z, PriorImage& out) {
  const Index n = z.cols();
  const Index side = tile_side(n);
  Vector means(n);
  pool.run((n + side - 1) / side, [&](Index task) {
    const Index first = task * side;
    const Index count = std::min(side, n - first);
    Vector sum = Vector::Zero(count);
    for (Index row = 0; row < n; row += side) {
      const Index rows = std::min(side, n - row);
      const Matrix part = kernel.tile(row, rows, first, count).template cast<double>();
      out.applied.middleCols(first, count) += product(z.middleCols(row, rows), false, part, false);
      sum += part.colwise().sum().transpose();
    }
    means.segment(first, count) = sum / static_cast<double>(n);
  });
  for (Index i = 0; i < n; ++i)
    out.variance[i] += kernel.entry(i, i) - 2.0 * means[i] + means.mean();
}

// K_ij = 1 within a group: Z K holds the sum of each sample's group.
void add_groups(const std::vector<Label>& group, const Matrix& z, PriorImage& out) {
  const Index groups = *std::max_element(group.begin(), group.end()) + Index{1};
  Matrix sums = Matrix::Zero(z.rows(), groups);
  Vector share = Vector::Zero(groups);
  for (Index i = 0; i < z.cols(); ++i) {
    const Label own = group[static_cast<std::size_t>(i)];
    sums.col(own) += z.col(i);
    share[own] += 1.0 / static_cast<double>(z.cols());
  }
  for (Index i = 0; i < z.cols(); ++i) {
    const Label own = group[static_cast<std::size_t>(i)];
    out.applied.col(i) += sums.col(own);
    out.variance[i] += 1.0 - 2.0 * share[own] + share.squaredNorm();
  }
}

}  // namespace

template <typename T>
PriorImage prior_image(ThreadPool& pool, const TaskPrior<T>& prior, const Matrix& z) {
  PriorImage out{Matrix::Zero(z.rows(), z.cols()), Vector::Zero(z.cols())};
  for (const Kernel<T>& kernel : prior.kernels) {
    if (kernel.has_factor())
      add_factor(pool, kernel, z, out);
    else
      add_tiles(pool, kernel, z, out);
  }
  for (const std::vector<Label>& group : prior.groupings) add_groups(group, z, out);
  const Vector mean = out.applied.rowwise().mean();
  out.applied.colwise() -= mean;
  return out;
}

template PriorImage prior_image(ThreadPool&, const TaskPrior<float>&, const Matrix&);
template PriorImage prior_image(ThreadPool&, const TaskPrior<double>&, const Matrix&);

}  // namespace assay
