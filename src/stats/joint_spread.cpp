#include "stats/joint_spread.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "linalg/eigen.h"
#include "linalg/gram.h"

namespace assay {
namespace {

constexpr Index kMostTogether = 1024;  // statistics whose covariance matrix is decomposed
constexpr double kNegligible = 1e-12;  // eigenvalues of a correlation matrix below are rounding

// One column each; statistics without numbers stay zero.
Matrix stacked(std::span<const Contributions> statistics,
               std::span<const double> Contributions::*which) {
  std::size_t rows = 0;
  for (const Contributions& one : statistics) rows = std::max(rows, (one.*which).size());
  Matrix out = Matrix::Zero(static_cast<Index>(rows), std::ssize(statistics));
  for (std::size_t k = 0; k < statistics.size(); ++k) {
    const std::span<const double> values = statistics[k].*which;
    std::copy(values.begin(), values.end(), out.col(static_cast<Index>(k)).data());
  }
  return out;
}

Matrix each_by_itself(Matrix units, const Matrix& pairs, const Matrix& triples) {
  for (Index k = 0; k < units.cols(); ++k) {
    const double jackknife = units.col(k).squaredNorm();
    if (jackknife == 0.0 || pairs.rows() == 0) continue;
    const double third = triples.rows() > 0 ? triples.col(k).squaredNorm() : 0.0;
    units.col(k) *= std::sqrt(
        variance_from_interactions(jackknife, pairs.col(k).squaredNorm(), third) / jackknife);
  }
  return units;
}

// With J = E s E' and P in the basis E s^-1/2 equal to U x U', both are diagonal in it.
Matrix together(const Matrix& units, const Matrix& pairs, const Matrix& triples) {
  const SymmetricEigen j = symmetric_eigen(inner_products(units, true));
  const Index size = j.values.size();
  Index rank = 0;
  while (rank < size && j.values[size - 1 - rank] > kNegligible * j.values[size - 1]) ++rank;
  const Vector root = j.values.tail(rank).cwiseSqrt();
  const Matrix basis = j.vectors.rightCols(rank);
  Matrix factor = root.asDiagonal() * basis.transpose();  // k x statistics
  if (pairs.rows() == 0 || rank == 0) return factor;
  const Matrix unit = basis * root.cwiseInverse().asDiagonal();
  const SymmetricEigen p =
      symmetric_eigen(inner_products(product(pairs, false, unit, false), true));
  Vector third = Vector::Zero(rank);
  if (triples.rows() > 0) {
    const Matrix turned = product(unit, false, p.vectors, false);
    third = product(triples, false, turned, false).colwise().squaredNorm().transpose();
  }
  Vector kept(rank);
  for (Index k = 0; k < rank; ++k)
    kept[k] = std::sqrt(variance_from_interactions(1.0, std::max(p.values[k], 0.0), third[k]));
  return kept.asDiagonal() * product(p.vectors, true, factor, false);
}

// The symmetric root of A'A. Of all factors of a covariance matrix it alone does not depend on the
// signs and rotations of eigenvectors, which differ from one BLAS kernel to the next: the same seed
// gives the same draws on every processor.
Matrix symmetric_root(const Matrix& factor) {
  const SymmetricEigen whole = symmetric_eigen(inner_products(factor, true));
  const Vector root = whole.values.cwiseMax(0.0).cwiseSqrt();
  return product(whole.vectors * root.asDiagonal(), false, whole.vectors, true);
}

}  // namespace

// joint_spread.h derives it, decision 0016 chose it.
double variance_from_interactions(double jackknife, double pairs, double triples) {
  if (!(pairs > 0.0)) return jackknife;
  const double least = jackknife * jackknife / (jackknife + 2.0 * pairs);
  return std::max(least, jackknife - pairs * pairs / (pairs + triples));
}

Matrix joint_spread(std::span<const Contributions> statistics) {
  Matrix units = stacked(statistics, &Contributions::units);
  Matrix pairs = stacked(statistics, &Contributions::pairs);
  Matrix triples = stacked(statistics, &Contributions::triples);
  const bool few = units.cols() <= kMostTogether;
  const bool fewer_than_units = units.cols() < units.rows();
  if (!few || (!fewer_than_units && pairs.rows() == 0))
    return each_by_itself(units, pairs, triples);
  // At unit size: statistics have different units of measurement.
  Vector size = units.colwise().norm().transpose();
  for (double& one : size) one = one > 0.0 ? one : 1.0;
  units = units * size.cwiseInverse().asDiagonal();
  pairs = pairs * size.cwiseInverse().asDiagonal();
  triples = triples * size.cwiseInverse().asDiagonal();
  return symmetric_root(together(units, pairs, triples)) * size.asDiagonal();
}

Matrix draw_deviations(const Matrix& factor, Index count, double degrees, std::uint64_t seed) {
  Random random(seed);
  Matrix draws(count, factor.rows());
  for (double& value : draws.reshaped()) value = random.normal();
  Matrix out = product(draws, false, factor, false);
  // chi^2 / degrees by Wilson and Hilferty's cube root, good to a percent from 5 degrees on.
  const double spread = 2.0 / (9.0 * degrees);
  for (Index b = 0; b < count; ++b) {
    const double root = 1.0 - spread + std::sqrt(spread) * random.normal();
    out.row(b) /= std::sqrt(std::pow(std::max(root, 0.05), 3.0));
  }
  return out;
}

}  // namespace assay
