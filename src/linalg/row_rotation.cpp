#include "linalg/row_rotation.h"

#include <algorithm>

#include "core/dispatch.h"
#include "linalg/lapack.h"
#include "linalg/reflection_bundle.h"
#include "linalg/sweep_strip.h"
#include "linalg/tridiagonal_factor.h"

namespace assay {
namespace {

// w := b v,  w := w s^-1,  b := b - w v'
void reflect_rows(const float* v, const float* s, int depth, int k, float* b, int rows, float* w) {
  const float one = 1.0F;
  const float zero = 0.0F;
  const float minus = -1.0F;
  sgemm_("N", "N", &rows, &k, &depth, &one, b, &rows, v, &depth, &zero, w, &rows);
  strsm_("R", "U", "N", "N", &rows, &k, &one, s, &k, w, &rows);
  sgemm_("N", "T", &rows, &depth, &k, &minus, w, &rows, v, &depth, &one, b, &rows);
}

void reflect_rows(const double* v, const double* s, int depth, int k, double* b, int rows,
                  double* w) {
  const double one = 1.0;
  const double zero = 0.0;
  const double minus = -1.0;
  dgemm_("N", "N", &rows, &k, &depth, &one, b, &rows, v, &depth, &zero, w, &rows);
  dtrsm_("R", "U", "N", "N", &rows, &k, &one, s, &k, w, &rows);
  dgemm_("N", "T", &rows, &depth, &k, &minus, w, &rows, v, &depth, &one, b, &rows);
}

// Reflections applied together: more than to a few columns, as products with many rows run faster
// the deeper they are.
constexpr Index kTogether = 128;

}  // namespace

template <typename T>
RowRotation<T>::RowRotation(const Tridiagonal& t) : before_(t.before.cast<T>()) {
  const Index count = t.size() - 1;
  for (Index first = 0; first < count; first += kTogether) {
    const ReflectionBundle b = reflection_bundle(t, first, std::min(kTogether, count - first));
    bundles_.push_back({b.top, b.v.cast<T>(), b.s.cast<T>()});
  }
}

// Q = H_1 H_2 ...: from the first bundle on.
template <typename T>
void RowRotation<T>::apply(Rows& rows) const {
  if (rows.rows() == 0) return;
  if (before_.size() > 0) {
    const Eigen::Matrix<T, Eigen::Dynamic, 1> along = rows * before_;
    rows.noalias() -= T{2} * along * before_.transpose();
  }
  Rows w(rows.rows(), kTogether);
  for (const Bundle& b : bundles_) {
    reflect_rows(b.v.data(), b.s.data(), static_cast<int>(b.v.rows()), static_cast<int>(b.v.cols()),
                 rows.col(b.top).data(), static_cast<int>(rows.rows()), w.data());
  }
}

// The same sweep as resolvent_forms (LDL', resolvent.h), over neighbouring rows.
template <typename T>
Matrix resolvent_forms_of_rows(const Tridiagonal& t,
                               const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& rows,
                               std::span<const double> shifts) {
  std::vector<TridiagonalFactor> factors;
  for (const double shift : shifts) factors.push_back(factorize(t, shift));
  Matrix forms(static_cast<Index>(shifts.size()), rows.rows());
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> last;
  for (Index first = 0; first < rows.rows(); first += kStrip) {
    const Index count = std::min(kStrip, rows.rows() - first);
    const T* strip = rows.data() + first;
    Index stride = rows.rows();
    if (count < kStrip) {
      last.setZero(kStrip, rows.cols());
      last.topRows(count) = rows.bottomRows(count);
      strip = last.data();
      stride = kStrip;
    }
    double sums[kStrip];
    for (Index k = 0; k < forms.rows(); ++k) {
      const TridiagonalFactor& f = factors[static_cast<std::size_t>(k)];
      for_this_processor<sweep_strip<T>>(strip, stride, f.multiplier.data(), f.inverse_pivot.data(),
                                         t.size(), sums);
      for (Index c = 0; c < count; ++c) forms(k, first + c) = sums[c];
    }
  }
  return forms;
}

template class RowRotation<float>;
template class RowRotation<double>;
template Matrix resolvent_forms_of_rows<float>(const Tridiagonal&, const Eigen::MatrixXf&,
                                               std::span<const double>);
template Matrix resolvent_forms_of_rows<double>(const Tridiagonal&, const Matrix&,
                                                std::span<const double>);

}  // namespace assay
