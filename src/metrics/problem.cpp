#include "metrics/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/triangle.h"
#include "metrics/ill_scaled.h"

namespace assay {
namespace {

// The power of two nearest to the root of the mean eigenvalue bound: dividing
// by it is exact and keeps every later square within range.
double power_of_two_root(double value) {
  return value > 0.0 ? std::ldexp(1.0, std::ilogb(value) / 2) : 1.0;
}

// If the mean exceeds the spread by this factor it is split off, because uncentred sums of squares
// would cancel.
constexpr double kFarFromZero = 1e4;

// Divides by a power of four so that the largest eigenvalue is near one, then
// reduces; eigenvalues that are only rounding become exactly zero. Sums about the mean are no
// larger than `spread` and round accordingly, however large the mean.
void reduce_matrix(Matrix lower, Index samples, Index dim, double spread, Reduced& out) {
  const double trace = lower.trace();
  const double first = power_of_two_root(trace / static_cast<double>(lower.rows()));
  lower.triangularView<Eigen::Lower>() *= 1.0 / (first * first);  // what waits above it stays
  Tridiagonal t = tridiagonalize(std::move(lower));
  const double second = power_of_two_root(t.eigenvalues.tail(1)[0]);
  const double factor = 1.0 / (second * second);
  t.diagonal *= factor;
  t.off_diagonal *= factor;
  t.eigenvalues *= factor;
  out.unit = first * second;
  const double largest = std::min(std::max(t.eigenvalues.tail(1)[0], 0.0),
                                  std::max(spread, 0.0) / (out.unit * out.unit));
  out.rounding = largest * static_cast<double>(std::max(samples, dim)) *
                 std::numeric_limits<double>::epsilon();
  // The norm of a random symmetric matrix with entries of size noise_i noise_j.
  double noise_norm = 0.0;
  if (out.noise.size() > 0) {
    out.noise /= out.unit;
    noise_norm = 2.0 * out.noise.maxCoeff() * out.noise.norm();
  }
  out.cut = out.rounding + noise_norm;
  for (double& s : t.eigenvalues) {
    // Twice, as samples that are left out later take something off.
    out.too_coarse = out.too_coarse || (noise_norm > 0.0 && s > out.rounding && s <= 2.0 * out.cut);
    if (s > out.cut) {
      ++out.rank;
    } else {
      s = 0.0;
    }
  }
  out.tridiagonal = std::move(t);
}

// Turns second moments so that the mean lies along the first axis, and returns the unit vector of
// the reflection; empty for a mean of zero.
Vector turn_to_front(const Vector& mean, SecondMoments& moments) {
  const double length = mean.norm();
  if (!(length > 0.0)) return {};
  Vector w = mean;
  w[0] += std::copysign(length, mean[0]);
  w.normalize();
  const Vector image = moments.gram.selfadjointView<Eigen::Lower>() * w;
  moments.gram.selfadjointView<Eigen::Lower>().rankUpdate(w, image - image.dot(w) * w, -2.0);
  moments.cross -= 2.0 * w * (w.transpose() * moments.cross);
  return w;
}

// Puts H K H, H = I - 11'/n, above the diagonal of a kernel given below it.
void center_above(Matrix& kernel, Vector& diagonal) {
  const auto n = static_cast<double>(kernel.rows());
  const Vector mean =
      kernel.selfadjointView<Eigen::Lower>() * Vector::Constant(kernel.rows(), 1.0 / n);
  const double all = mean.mean();
  diagonal = kernel.diagonal().array() - 2.0 * mean.array() + all;
  fill_above(kernel, [&](Index i, Index j) { return kernel(i, j) - mean[i] - mean[j] + all; });
}

// Lengths of the features about their means; 0 for those whose variation is rounding: of the
// values, or of the sums.
Vector deviations(const Moments& m) {
  const auto n = static_cast<double>(m.count);
  const double rounding = n * std::numeric_limits<double>::epsilon() + 4.0 * m.product_rounding;
  Vector out = Vector::Zero(m.dim());
  for (Index j = 0; j < m.dim(); ++j) {
    const double square = m.gram(j, j) - m.sum[j] * m.sum[j] / n;
    const double mean = m.shift[j] + m.sum[j] / n;
    if (square > rounding * m.gram(j, j) && square > n * mean * mean * 1e-26)
      out[j] = std::sqrt(square);
  }
  return out;
}

// Whether sums of squares about the means keep fewer than three digits of a typical feature.
bool ill_scaled(Vector lengths, Index samples) {
  const auto end = std::remove(lengths.begin(), lengths.end(), 0.0);
  const auto varying = static_cast<Index>(end - lengths.begin());
  if (varying == 0) return false;
  const double total = lengths.squaredNorm();
  const auto middle = lengths.begin() + varying / 2;
  std::nth_element(lengths.begin(), middle, end);
  return loses_digits(total, *middle * *middle, samples, lengths.size());
}

// Sums over a symmetric matrix, of which the lower triangle is given.
struct Size {
  double trace = 0.0;
  double square = 0.0;  // of the Frobenius norm
};

template <typename Entry>
Size size_of(Index rows, const Entry& entry) {
  Size out;
  for (Index j = 0; j < rows; ++j) {
    const double own = entry(j, j);
    out.trace += own;
    double below = 0.0;
    for (Index i = j + 1; i < rows; ++i) {
      const double value = entry(i, j);
      below += value * value;
    }
    out.square += own * own + 2.0 * below;
  }
  return out;
}

// From sums about a point near the mean: nothing cancels that matters.
Size centered_size_of(const Moments& m) {
  const Vector mean = m.sum / static_cast<double>(m.count);
  return size_of(m.dim(), [&](Index i, Index j) { return m.gram(i, j) - m.sum[i] * mean[j]; });
}

Size centered_size_of(const Matrix& kernel) {
  const auto n = static_cast<double>(kernel.rows());
  const Vector mean =
      kernel.selfadjointView<Eigen::Lower>() * Vector::Constant(kernel.rows(), 1.0 / n);
  const double all = mean.mean();
  return size_of(kernel.rows(),
                 [&](Index i, Index j) { return kernel(i, j) - mean[i] - mean[j] + all; });
}

// |f_i - mean|^2 = k_ii - 2 mean_j k_ij + mean of all k.
double fourth_of_kernel(const Matrix& lower) {
  const auto n = static_cast<double>(lower.rows());
  const Vector mean =
      lower.selfadjointView<Eigen::Lower>() * Vector::Constant(lower.rows(), 1.0 / n);
  const Vector square = lower.diagonal() - 2.0 * mean + Vector::Constant(lower.rows(), mean.mean());
  return square.squaredNorm();
}

void set_centered(const Size& size, double fourth, Reduced& out) {
  const double square = out.unit * out.unit;
  out.centered_trace = std::max(size.trace, 0.0) / square;
  out.centered_square = size.square / (square * square);
  out.fourth = fourth / (square * square);
}

}  // namespace

Problem::Problem(Moments moments, bool center)
    : count_(moments.count), dim_(moments.dim()), center_(center), target_sum_(moments.target_sum) {
  find_active(moments.target_square);
  moments_ = std::move(moments);
}

Problem::Problem(RowKernel kernel, Index dim, Matrix targets, bool center)
    : count_(kernel.gram.rows()),
      dim_(dim),
      center_(center),
      target_sum_(targets.colwise().sum().transpose()),
      kernel_(std::move(kernel)),
      targets_(std::move(targets)) {
  find_active(targets_.colwise().squaredNorm().transpose());
}

void Problem::find_active(const Vector& target_square) {
  const auto n = static_cast<double>(count_);
  for (Index c = 0; c < target_sum_.size(); ++c) {
    const double variation = target_square[c] - target_sum_[c] * target_sum_[c] / n;
    active_.push_back(variation > 1e-13 * target_square[c]);
  }
}

const Reduced& Problem::reduced() const {
  if (!reduced_) {
    reduced_.emplace();
    // An intercept, integrated out, takes one degree of freedom with it; without this the
    // evidence of centred data has no maximum once the features fit everything.
    reduced_->count = center_ ? count_ - 1 : count_;
    if (moments_) {
      reduce_moments();
    } else {
      reduce_kernel();
    }
  }
  return *reduced_;
}

// Correlations of the features and their products with the targets, at unit length: no feature
// takes digits from another one.
void Problem::keep_correlations() const {
  Moments& m = *moments_;
  const auto n = static_cast<double>(m.count);
  const Vector length = deviations(m);
  const Vector inverse = length.unaryExpr([](double x) { return x > 0.0 ? 1.0 / x : 0.0; });
  const Vector mean = m.sum / n;
  reduced_->centered_diagonal = length.cwiseSign();  // 1, or 0 where constant
  reduced_->entry_rounding =
      m.product_rounding *
      m.gram.diagonal().cwiseProduct(inverse.cwiseAbs2()).cwiseMax(1.0).maxCoeff();
  fill_above(m.gram, [&](Index i, Index j) {
    return (m.gram(i, j) - m.sum[i] * mean[j]) * inverse[i] * inverse[j];
  });
  const Matrix cross = m.cross - mean * m.target_sum.transpose();
  reduced_->centered_cross = cross.colwise().squaredNorm().transpose();
  reduced_->standard_cross = inverse.asDiagonal() * cross;
  reduced_->ill_scaled = ill_scaled(length, m.count);
}

void Problem::reduce_moments() const {
  keep_correlations();
  if (moments_->product_rounding > 0.0) {
    reduced_->noise = (moments_->gram.diagonal() * moments_->product_rounding).cwiseSqrt();
  }
  const double scale = moments_->scale;
  const double fourth = centered_fourth(*moments_);
  const Size size = centered_size_of(*moments_);
  const Vector mean = moments_->shift + moments_->sum / static_cast<double>(count_);
  const double mean_square = static_cast<double>(count_) * mean.squaredNorm();
  if (center_) reduced_->feature_mean = mean / scale;
  reduced_->mean_apart = !center_ && mean_square > kFarFromZero * size.trace;
  Vector target_square = moments_->target_square;
  SecondMoments second = second_moments(std::move(*moments_), center_ || reduced_->mean_apart);
  moments_.reset();
  Vector reflection;
  if (reduced_->mean_apart) {
    // Sums about the means, then the mean where it disturbs nothing: however large it is, the
    // digits of everything else stay.
    second.target_square = std::move(target_square);
    reflection = turn_to_front(mean, second);
    reduced_->centered_first = second.gram(0, 0);
    reduced_->centered_row = second.cross.row(0).transpose();
    second.gram(0, 0) += mean_square;
    second.cross.row(0) -= std::copysign(mean.norm(), mean[0]) * target_sum_.transpose();
  }
  double spread = std::numeric_limits<double>::infinity();
  if (reduced_->mean_apart) {
    // Distances from the mean of a few roundings of it are nothing but roundings.
    constexpr double squared = 64.0 * std::numeric_limits<double>::epsilon();
    spread =
        std::max(size.trace, squared * mean_square / static_cast<double>(std::max(count_, dim_)));
  }
  reduce_matrix(std::move(second.gram), count_, dim_, spread, *reduced_);
  set_centered(size, fourth, *reduced_);
  const double unit = reduced_->unit;
  reduced_->centered_cross /= unit * unit;
  reduced_->centered_first /= unit * unit;
  reduced_->centered_row /= unit;
  second.cross *= 1.0 / unit;
  reduced_->unit /= scale;
  reduced_->projected = reduced_->tridiagonal.rotate(std::move(second.cross));
  reduced_->tridiagonal.before = std::move(reflection);
  reduced_->target_square = std::move(second.target_square);
}

void Problem::reduce_kernel() const {
  Matrix& kernel = kernel_.gram;
  const double fourth = fourth_of_kernel(kernel);
  const Size size = centered_size_of(kernel);
  reduced_->largest_square = kernel.diagonal().maxCoeff();
  reduced_->ill_scaled =
      kernel_.typical_variance > 0.0 &&
      loses_digits(kernel.trace(), static_cast<double>(count_) * kernel_.typical_variance, count_,
                   dim_);
  center_above(kernel, reduced_->centered_diagonal);
  if (center_) {
    kernel.triangularView<Eigen::Lower>() = kernel.transpose();
    kernel.diagonal() = reduced_->centered_diagonal;
    targets_.rowwise() -= targets_.colwise().mean();
  }
  reduced_->dual = true;
  reduced_->target_square = targets_.colwise().squaredNorm().transpose();
  reduce_matrix(std::move(kernel), count_, dim_, std::numeric_limits<double>::infinity(),
                *reduced_);
  set_centered(size, fourth, *reduced_);
  reduced_->unit /= kernel_.scale;
  reduced_->projected = reduced_->tridiagonal.rotate(std::move(targets_));
}

}  // namespace assay
