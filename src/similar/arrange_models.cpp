#include "similar/arrange_models.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/eigen.h"

namespace assay {

Matrix map_of(const Matrix& cka) {
  const Index n = cka.rows();
  Matrix out = Matrix::Zero(n, 2);
  if (n < 2) return out;
  // -1/2 of the squared distances 2 - 2 CKA, centred both ways: CKA centred.
  Matrix b = cka;
  b.rowwise() -= b.colwise().mean().eval();
  b.colwise() -= b.rowwise().mean().eval();
  const SymmetricEigen eigen = symmetric_eigen(std::move(b));
  for (Index axis = 0; axis < std::min<Index>(2, n); ++axis) {
    const double value = std::max(0.0, eigen.values[n - 1 - axis]);
    Vector along = std::sqrt(value) * eigen.vectors.col(n - 1 - axis);
    Index largest = 0;
    along.cwiseAbs().maxCoeff(&largest);
    if (along[largest] < 0.0) along = -along;
    out.col(axis) = along;
  }
  return out;
}

std::vector<SimilarPair> near_duplicates(const Matrix& cka, const Matrix& shared, double least) {
  std::vector<SimilarPair> out;
  for (Index j = 1; j < cka.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      if (cka(i, j) >= least)
        out.push_back(
            {static_cast<std::size_t>(i), static_cast<std::size_t>(j), cka(i, j), shared(i, j)});
    }
  }
  std::ranges::stable_sort(
      out, [](const SimilarPair& a, const SimilarPair& b) { return a.cka > b.cka; });
  return out;
}

std::vector<Index> groups_of(const std::vector<SimilarPair>& pairs, std::size_t models) {
  std::vector<std::size_t> root(models);
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto top = [&](std::size_t i) {
    while (root[i] != i) i = root[i];
    return i;
  };
  for (const SimilarPair& pair : pairs) {
    const std::size_t a = top(pair.a);
    const std::size_t b = top(pair.b);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::vector<Index> sizes(models, 0);
  for (std::size_t i = 0; i < models; ++i) ++sizes[top(i)];
  std::vector<Index> number(models, 0);
  std::vector<Index> out(models, 0);
  Index next = 0;
  for (std::size_t i = 0; i < models; ++i) {
    const std::size_t at = top(i);
    if (sizes[at] < 2) continue;
    if (number[at] == 0) number[at] = ++next;
    out[i] = number[at];
  }
  return out;
}

std::vector<std::size_t> diverse_order(const Matrix& cka) {
  const auto count = static_cast<std::size_t>(cka.rows());
  std::vector<std::size_t> order;
  Index next = 0;
  cka.rowwise().sum().maxCoeff(&next);
  std::vector<double> nearest(count, -std::numeric_limits<double>::infinity());
  std::vector<bool> chosen(count, false);
  while (order.size() < count) {
    order.push_back(static_cast<std::size_t>(next));
    chosen[static_cast<std::size_t>(next)] = true;
    double least = std::numeric_limits<double>::infinity();
    const Index last = next;
    for (std::size_t i = 0; i < count; ++i) {
      nearest[i] = std::max(nearest[i], cka(static_cast<Index>(i), last));
      if (chosen[i] || nearest[i] >= least) continue;
      least = nearest[i];
      next = static_cast<Index>(i);
    }
  }
  return order;
}

}  // namespace assay
