#include "metrics/class_forms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/resolvent.h"

namespace assay {
namespace {

// The column of ones among the targets, rotated as they are: classes sum to it.
Vector rotated_ones(const Reduced& reduced) { return reduced.projected.rowwise().sum(); }

// Forms of the columns, of the ones column, and between them, at one shift.
struct Forms {
  Vector own;            // b_c' A b_c
  Vector with_ones;      // b_c' A s
  double of_ones = 0.0;  // s' A s
};

Forms forms_at(const Reduced& reduced, double t) {
  const Vector s = rotated_ones(reduced);
  const Vector w = resolvent_solve(reduced.tridiagonal, s, {&t, 1});
  return {resolvent_forms(reduced.tridiagonal, reduced.projected, {&t, 1}).row(0).transpose(),
          reduced.projected.transpose() * w, s.dot(w)};
}

// (Gc + t)^-1 = A + A s s'A / (n - s'A s), A = (G + t)^-1, s = F'1, by Sherman and Morrison.
// n - s'A s vanishes when the constant lies in the span of the features: nothing is left to add.
Vector primal_forms(const Forms& f, const Vector& counts, double n) {
  const Vector share = counts / n;
  const Vector own = f.own - 2.0 * share.cwiseProduct(f.with_ones) + share.cwiseAbs2() * f.of_ones;
  const Vector across = f.with_ones - share * f.of_ones;
  const double rest = n - f.of_ones;
  return rest > 1e-10 * n ? Vector(own + across.cwiseAbs2() / rest) : own;
}

// Where the mean stands apart, T and the targets about the means are at hand: the same but for what
// it has added in front.
struct AboutMeans {
  Tridiagonal tridiagonal;  // without its rotation
  Matrix projected;
};

AboutMeans about_means(const Reduced& reduced) {
  AboutMeans out{{}, reduced.projected};
  out.tridiagonal.diagonal = reduced.tridiagonal.diagonal;
  out.tridiagonal.off_diagonal = reduced.tridiagonal.off_diagonal;
  out.tridiagonal.diagonal[0] = reduced.centered_first;
  out.projected.row(0) = reduced.centered_row.transpose();
  return out;
}

// On the side of the samples, with M = K + t:  I - t (M^-1 - M^-1 1 1'M^-1 / 1'M^-1 1) on 1's
// complement.
Vector dual_forms(const Forms& f, const Vector& counts, double n, double t) {
  const Vector inner = f.own - f.with_ones.cwiseAbs2() / f.of_ones;
  return counts - counts.cwiseAbs2() / n - t * inner;
}

}  // namespace

// form_c(t) of class_forms.h in its four cases: centred already, mean apart, and centring as a
// change of rank one on either side (Sherman and Morrison 1950).
Vector class_forms(const Problem& problem, double t) {
  const Reduced& reduced = problem.reduced();
  const auto n = static_cast<double>(problem.count());
  const Vector& counts = problem.target_sums();
  Vector out;
  if (problem.centered()) {
    const Vector own =
        resolvent_forms(reduced.tridiagonal, reduced.projected, {&t, 1}).row(0).transpose();
    out = reduced.dual ? Vector(reduced.target_square - t * own) : own;
  } else if (reduced.mean_apart) {
    const AboutMeans means = about_means(reduced);
    out = resolvent_forms(means.tridiagonal, means.projected, {&t, 1}).row(0).transpose();
  } else {
    const Forms f = forms_at(reduced, t);
    out = reduced.dual ? dual_forms(f, counts, n, t) : primal_forms(f, counts, n);
  }
  return out.cwiseMax(0.0).cwiseMin(counts - counts.cwiseAbs2() / n);
}

double class_forms_error(const Problem& problem, double t) {
  const Reduced& reduced = problem.reduced();
  if (reduced.too_coarse) return std::numeric_limits<double>::infinity();
  if (reduced.noise.size() == 0) return 0.0;
  constexpr Index most = 8;
  std::vector<Index> chosen;
  for (Index c = 0; c < problem.columns() && static_cast<Index>(chosen.size()) < most; ++c) {
    if (problem.target_sums()[c] > 0.0) chosen.push_back(c);
  }
  if (chosen.empty()) return 0.0;
  const std::vector<double> shifts(chosen.size(), t);
  const Matrix weights = reduced.tridiagonal.rotate_back(
      resolvent_solve(reduced.tridiagonal, Matrix(reduced.projected(Eigen::all, chosen)), shifts));
  double sum = 0.0;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Vector scaled = reduced.noise.cwiseProduct(weights.col(static_cast<Index>(k)));
    sum += scaled.squaredNorm() / problem.target_sums()[chosen[k]];
  }
  return std::sqrt(2.0) * sum * static_cast<double>(problem.columns()) /
         static_cast<double>(chosen.size());
}

}  // namespace assay
