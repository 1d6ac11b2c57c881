#include "robust/gaussian_pair.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <utility>

#include "linalg/eigen.h"
#include "linalg/gram.h"

namespace assay {
namespace {

using ClassMeans = std::array<Vector, 2>;

ClassMeans class_means(const Matrix& samples, std::span<const Label> labels,
                       const std::array<Index, 2>& counts) {
  ClassMeans means = {Vector::Zero(samples.rows()), Vector::Zero(samples.rows())};
  for (Index i = 0; i < samples.cols(); ++i)
    means[static_cast<std::size_t>(labels[static_cast<std::size_t>(i)])] += samples.col(i);
  for (const std::size_t c : {0, 1}) means[c] /= static_cast<double>(counts[c]);
  return means;
}

std::array<Index, 2> class_counts(std::span<const Label> labels) {
  const auto ones = static_cast<Index>(std::count(labels.begin(), labels.end(), 1));
  return {static_cast<Index>(labels.size()) - ones, ones};
}

// Features minus the means of their class. A feature that is constant but for the rounding of its
// mean has no variance: left as it is, that rounding would look like a direction of its own.
void centre(Matrix& samples, const ClassMeans& means, std::span<const Label> labels) {
  for (Index i = 0; i < samples.cols(); ++i)
    samples.col(i) -= means[static_cast<std::size_t>(labels[static_cast<std::size_t>(i)])];
  const auto n = static_cast<double>(samples.cols());
  const Vector rounding = n * std::numeric_limits<double>::epsilon() *
                          means[0].cwiseAbs().cwiseMax(means[1].cwiseAbs());
  const Vector spread = samples.cwiseAbs().rowwise().maxCoeff();
  for (Index k = 0; k < samples.rows(); ++k)
    if (spread[k] <= rounding[k]) samples.row(k).setZero();
}

// The spectrum of the squared samples' sums, largest first, without what is rounding.
struct Spectrum {
  Vector values;
  Matrix vectors;
};

Spectrum leading(SymmetricEigen eigen, Index longest) {
  const double cut = eigen.values.tail(1)[0] * static_cast<double>(longest) *
                     std::numeric_limits<double>::epsilon();
  const Index r = std::count_if(eigen.values.begin(), eigen.values.end(),
                                [&](double value) { return value > cut && value > 0.0; });
  return {eigen.values.tail(r).reverse(), eigen.vectors.rightCols(r).rowwise().reverse()};
}

// Eigenvectors of X X' (D x D) for the centred samples X, or from those of X'X when n is smaller.
Spectrum principal_directions(ThreadPool& pool, const Matrix& centred) {
  const Index longest = std::max(centred.rows(), centred.cols());
  if (centred.cols() > centred.rows()) {
    Matrix gram = Matrix::Zero(centred.rows(), centred.rows());
    const GramUpdate<double> update{centred.data(), centred.cols(), &gram};
    add_to_grams(pool, std::span<const GramUpdate<double>>(&update, 1));
    return leading(symmetric_eigen(std::move(gram)), longest);
  }
  Spectrum kernel = leading(symmetric_eigen(product(centred, true, centred, false)), longest);
  Matrix basis = product(centred, false, kernel.vectors, false);
  basis *= kernel.values.cwiseSqrt().cwiseInverse().asDiagonal();
  return {std::move(kernel.values), std::move(basis)};
}

}  // namespace

// F, Lambda and mu~ of SynBench, Results 2.2 to 2.4, estimated with the pooled covariance.
GaussianPair fit_and_centre(ThreadPool& pool, Matrix& samples, std::span<const Label> labels) {
  assert(static_cast<Index>(labels.size()) == samples.cols() && samples.cols() >= 3);
  GaussianPair out;
  out.counts = class_counts(labels);
  assert(out.counts[0] > 0 && out.counts[1] > 0);
  const ClassMeans means = class_means(samples, labels, out.counts);
  centre(samples, means, labels);
  Spectrum spectrum = principal_directions(pool, samples);
  out.midpoint = 0.5 * (means[1] + means[0]);
  out.half_gap = spectrum.vectors.transpose() * (0.5 * (means[1] - means[0]));
  out.variances = spectrum.values / static_cast<double>(samples.cols() - 2);
  out.basis = std::move(spectrum.vectors);
  return out;
}

GaussianPair fit_gaussian_pair(ThreadPool& pool, Matrix samples, std::span<const Label> labels) {
  return fit_and_centre(pool, samples, labels);
}

}  // namespace assay
