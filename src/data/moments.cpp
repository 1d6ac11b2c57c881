#include "data/moments.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace assay {

Moments empty_moments(const Vector& shift, double scale, Index columns) {
  Moments m;
  m.scale = scale;
  m.shift = shift;
  m.gram = Matrix::Zero(shift.size(), shift.size());
  m.sum = Vector::Zero(shift.size());
  m.cross = Matrix::Zero(shift.size(), columns);
  m.cubic = Vector::Zero(shift.size());
  m.target_sum = Vector::Zero(columns);
  m.target_square = Vector::Zero(columns);
  return m;
}

Moments& Moments::operator+=(const Moments& other) {
  assert(scale == other.scale && shift == other.shift);
  count += other.count;
  gram += other.gram;
  sum += other.sum;
  cross += other.cross;
  cubic += other.cubic;
  fourth += other.fourth;
  target_sum += other.target_sum;
  target_square += other.target_square;
  // The parts err independently and the sum is as much larger: the relative error shrinks.
  const auto n = static_cast<double>(count);
  const auto added = static_cast<double>(other.count);
  product_rounding =
      n == 0.0 ? other.product_rounding
               : std::hypot(product_rounding * (n - added), other.product_rounding * added) / n;
  return *this;
}

Moments& Moments::operator-=(const Moments& other) {
  assert(scale == other.scale && shift == other.shift);
  count -= other.count;
  gram -= other.gram;
  sum -= other.sum;
  cross -= other.cross;
  cubic -= other.cubic;
  fourth -= other.fourth;
  target_sum -= other.target_sum;
  target_square -= other.target_square;
  return *this;
}

// |x - m|^4 multiplied out, with sum m'x = n |m|^2.
double centered_fourth(const Moments& m) {
  const auto n = static_cast<double>(m.count);
  const Vector mean = m.sum / n;
  const double square = mean.squaredNorm();
  const double along = mean.dot(m.gram.selfadjointView<Eigen::Lower>() * mean);
  const double total = m.fourth + 4.0 * along - 3.0 * n * square * square -
                       4.0 * mean.dot(m.cubic) + 2.0 * square * m.gram.trace();
  return std::max(total, 0.0);
}

// With x = f - c and s = sum x:
//   about the origin:  sum f f' = sum x x' + c s' + s c' + n c c',  sum f y' = sum x y' + c (sum
//   y)' about the means:   sum x x' - s s' / n,                         sum x y' - s (sum y)' / n
SecondMoments second_moments(Moments m, bool centered) {
  SecondMoments out{std::move(m.gram), std::move(m.cross), std::move(m.target_square)};
  const auto n = static_cast<double>(m.count);
  if (centered) {
    out.gram.selfadjointView<Eigen::Lower>().rankUpdate(m.sum, -1.0 / n);
    out.cross.noalias() -= m.sum * m.target_sum.transpose() / n;
    out.target_square -= m.target_sum.cwiseAbs2() / n;
    out.target_square = out.target_square.cwiseMax(0.0);
    return out;
  }
  out.gram.selfadjointView<Eigen::Lower>().rankUpdate(m.shift, m.sum + 0.5 * n * m.shift);
  out.cross.noalias() += m.shift * m.target_sum.transpose();
  return out;
}

}  // namespace assay
