#include "similar/centred_kernel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/gram.h"

namespace assay {
namespace {

// Of all pairs of columns; inner_products gives one triangle.
Matrix all_products(const Matrix& columns) {
  return Matrix(inner_products(columns, true).selfadjointView<Eigen::Lower>());
}

}  // namespace

Eigen::VectorXf centred_kernel(const Matrix& features) {
  const Index n = features.cols();
  const auto count = static_cast<double>(n);
  // About the mean: a common offset would only cost digits.
  const Matrix centred = features.colwise() - features.rowwise().mean();
  Matrix k = all_products(centred);
  k.diagonal().setZero();
  const Vector sums = k.colwise().sum().transpose();
  const double all = sums.sum() / ((count - 1.0) * (count - 2.0));
  Eigen::VectorXf out(n * (n - 1) / 2);
  double squares = 0.0;
  Index at = 0;
  for (Index j = 1; j < n; ++j) {
    for (Index i = 0; i < j; ++i) {
      const double value = k(i, j) - (sums[i] + sums[j]) / (count - 2.0) + all;
      squares += value * value;
      out[at++] = static_cast<float>(value);
    }
  }
  if (squares > 0.0) out /= static_cast<float>(std::sqrt(squares));
  return out;
}

std::vector<Index> nearest_neighbours(const Matrix& features, Index k) {
  const Index n = features.cols();
  Matrix unit = features;
  for (Index i = 0; i < n; ++i) {
    const double length = unit.col(i).norm();
    if (length > 0.0) unit.col(i) /= length;
  }
  const Matrix cosine = all_products(unit);
  std::vector<Index> out;
  std::vector<Index> others(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    std::iota(others.begin(), others.end(), Index{0});
    std::erase(others, i);
    std::partial_sort(others.begin(), others.begin() + k, others.end(), [&](Index a, Index b) {
      return cosine(a, i) != cosine(b, i) ? cosine(a, i) > cosine(b, i) : a < b;
    });
    std::sort(others.begin(), others.begin() + k);
    out.insert(out.end(), others.begin(), others.begin() + k);
    others.resize(static_cast<std::size_t>(n));
  }
  return out;
}

double shared_neighbours(const std::vector<Index>& a, const std::vector<Index>& b, Index k) {
  Index common = 0;
  for (std::size_t begin = 0; begin < a.size(); begin += static_cast<std::size_t>(k)) {
    for (std::size_t i = begin; i < begin + static_cast<std::size_t>(k); ++i) {
      const auto first = b.begin() + static_cast<std::ptrdiff_t>(begin);
      common += std::binary_search(first, first + k, a[i]) ? 1 : 0;
    }
  }
  return static_cast<double>(common) / static_cast<double>(a.size());
}

}  // namespace assay
