#include "linalg/resolvent.h"

#include <algorithm>
#include <vector>

#include "core/dispatch.h"
#include "linalg/sweep_strip.h"
#include "linalg/tridiagonal_factor.h"

namespace assay {
namespace {

void interleave(const Matrix& b, Index first, Index count, std::vector<double>& panel) {
  for (Index c = 0; c < count; ++c) {
    for (Index i = 0; i < b.rows(); ++i)
      panel[static_cast<std::size_t>(i * kStrip + c)] = b(i, first + c);
  }
}

struct Sweep {
  Lanes pivot, pivot1, pivot2;  // d and its derivatives in the shift
  Lanes w, w1, w2;
};

// The LDL' sweep differentiated twice in the shift, eight shifts at a time.
void sweep_derivatives(const double* diagonal, const double* off_diagonal, Index p, const double* b,
                       const Lanes& shifts, ResolventLanes& out) {
  Sweep s{};
  for (int k = 0; k < kLanes; ++k) {
    s.pivot[k] = diagonal[0] + shifts[k];
    s.pivot1[k] = 1.0;
    s.w[k] = b[k];
  }
  for (Index i = 0;; ++i) {
    const bool last = i + 1 == p;
    const double e = last ? 0.0 : off_diagonal[i];
    const double a = last ? 0.0 : diagonal[i + 1];
    const double* next = last ? b : b + (i + 1) * kLanes;  // its value is not used on the last row
    for (int k = 0; k < kLanes; ++k) {
      const double r = 1.0 / s.pivot[k];
      const double r1 = -r * r * s.pivot1[k];
      const double r2 = -2.0 * r * r1 * s.pivot1[k] - r * r * s.pivot2[k];
      const double w = s.w[k];
      const double w1 = s.w1[k];
      const double w2 = s.w2[k];
      out.value[k] += w * w * r;
      out.first[k] += 2.0 * w * w1 * r + w * w * r1;
      out.second[k] += 2.0 * (w1 * w1 + w * w2) * r + 4.0 * w * w1 * r1 + w * w * r2;
      s.pivot[k] = a + shifts[k] - e * e * r;
      s.pivot1[k] = 1.0 - e * e * r1;
      s.pivot2[k] = -e * e * r2;
      s.w[k] = next[k] - e * r * w;
      s.w1[k] = -e * (r1 * w + r * w1);
      s.w2[k] = -e * (r2 * w + 2.0 * r1 * w1 + r * w2);
    }
    if (last) return;
  }
}

}  // namespace

TridiagonalFactor factorize(const Tridiagonal& t, double shift) {
  const auto p = static_cast<std::size_t>(t.size());
  TridiagonalFactor f{std::vector<double>(p), std::vector<double>(p)};
  double pivot = t.diagonal[0] + shift;
  for (std::size_t i = 0; i + 1 < p; ++i) {
    const double e = t.off_diagonal[static_cast<Index>(i)];
    f.inverse_pivot[i] = 1.0 / pivot;
    f.multiplier[i] = e * f.inverse_pivot[i];
    pivot = t.diagonal[static_cast<Index>(i) + 1] + shift - e * f.multiplier[i];
  }
  f.inverse_pivot[p - 1] = 1.0 / pivot;
  return f;
}

// phi_c(t) = b_c'(T + t I)^-1 b_c by LDL' (Golub and Van Loan, Matrix Computations, section 4.3):
// resolvent.h; decision 0004.
Matrix resolvent_forms(const Tridiagonal& t, const Matrix& b, std::span<const double> shifts) {
  std::vector<TridiagonalFactor> factors;
  for (const double shift : shifts) factors.push_back(factorize(t, shift));
  Matrix forms(static_cast<Index>(shifts.size()), b.cols());
  std::vector<double> panel(static_cast<std::size_t>(b.rows() * kStrip));
  for (Index first = 0; first < b.cols(); first += kStrip) {
    const Index count = std::min(kStrip, b.cols() - first);
    interleave(b, first, count, panel);
    double sums[kStrip];
    for (Index k = 0; k < forms.rows(); ++k) {
      const TridiagonalFactor& f = factors[static_cast<std::size_t>(k)];
      for_this_processor<sweep_strip<double>>(panel.data(), kStrip, f.multiplier.data(),
                                              f.inverse_pivot.data(), t.size(), sums);
      for (Index c = 0; c < count; ++c) forms(k, first + c) = sums[c];
    }
  }
  return forms;
}

ResolventLanes resolvent_derivatives(const Tridiagonal& t, std::span<const double> b,
                                     const Lanes& shifts) {
  ResolventLanes out;
  for_this_processor<sweep_derivatives>(t.diagonal.data(), t.off_diagonal.data(), t.size(),
                                        b.data(), shifts, out);
  return out;
}

Matrix resolvent_solve(const Tridiagonal& t, Matrix b, std::span<const double> shifts) {
  const Index p = t.size();
  for (Index c = 0; c < b.cols(); ++c) {
    const TridiagonalFactor f = factorize(t, shifts[static_cast<std::size_t>(c)]);
    const auto at = [](const std::vector<double>& v, Index i) {
      return v[static_cast<std::size_t>(i)];
    };
    for (Index i = 1; i < p; ++i) b(i, c) -= at(f.multiplier, i - 1) * b(i - 1, c);
    for (Index i = 0; i < p; ++i) b(i, c) *= at(f.inverse_pivot, i);
    for (Index i = p - 1; i > 0; --i) b(i - 1, c) -= at(f.multiplier, i - 1) * b(i, c);
  }
  return b;
}

}  // namespace assay
