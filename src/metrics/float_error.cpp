#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.h"
#include "linalg/resolvent.h"
#include "metrics/evidence.h"

namespace assay {
namespace {

constexpr Index kProbes = 8;

// Columns with finite t, those with the smallest first: there the inverse, and with it the error,
// is largest.
std::vector<Index> most_sensitive(const std::vector<EvidenceColumn>& columns) {
  std::vector<Index> chosen;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const EvidenceCase kind = columns[c].kind;
    if (kind == EvidenceCase::interior || kind == EvidenceCase::exact_fit) {
      chosen.push_back(static_cast<Index>(c));
    }
  }
  std::sort(chosen.begin(), chosen.end(), [&](Index a, Index b) {
    return columns[static_cast<std::size_t>(a)].t < columns[static_cast<std::size_t>(b)].t;
  });
  chosen.resize(std::min<std::size_t>(chosen.size(), kProbes));
  return chosen;
}

}  // namespace

// A random symmetric E with entries of size N_i N_j changes a column's evidence by
//
//     1/2n (tr(A^-1 E) + beta m'E m),   A = T + tI,
//
// to first order, with standard deviations sqrt(2) |N A^-1 N|_F and sqrt(2) m'N^2 m. The Frobenius
// norm is the root mean square length of N A^-1 N v over random signs v.
double float_error(const Reduced& reduced, const std::vector<EvidenceColumn>& columns) {
  if (reduced.too_coarse) return std::numeric_limits<double>::infinity();
  const std::vector<Index> chosen = most_sensitive(columns);
  if (reduced.noise.size() == 0 || chosen.empty()) return 0.0;
  const double per_unit = 1.0 / (reduced.unit * reduced.unit);
  const auto taken = static_cast<Index>(chosen.size());
  const Index p = reduced.tridiagonal.size();
  Random random(1);
  Matrix probes(p, kProbes);
  for (double& sign : probes.reshaped()) sign = random.uniform() < 0.5 ? -1.0 : 1.0;
  Matrix sources(p, kProbes + taken);
  sources.leftCols(kProbes) = reduced.tridiagonal.rotate(reduced.noise.asDiagonal() * probes);
  sources.rightCols(taken) = reduced.projected(Eigen::all, chosen);
  std::vector<double> shifts(kProbes,
                             columns[static_cast<std::size_t>(chosen.front())].t * per_unit);
  for (const Index c : chosen) shifts.push_back(columns[static_cast<std::size_t>(c)].t * per_unit);
  const Matrix solved =
      reduced.noise.asDiagonal() *
      reduced.tridiagonal.rotate_back(resolvent_solve(reduced.tridiagonal, sources, shifts));
  const double determinant = std::sqrt(solved.leftCols(kProbes).squaredNorm() / kProbes);
  double weights = 0.0;
  for (Index k = 0; k < taken; ++k) {
    const double beta = columns[static_cast<std::size_t>(chosen[static_cast<std::size_t>(k)])].beta;
    weights = std::max(weights, beta * solved.col(kProbes + k).squaredNorm());
  }
  return std::sqrt(2.0) * (determinant + weights) / (2.0 * static_cast<double>(reduced.count));
}

}  // namespace assay
