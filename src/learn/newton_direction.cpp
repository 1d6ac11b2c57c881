#include "learn/newton_direction.h"

#include <algorithm>
#include <utility>

#include "learn/projected_sum.h"

namespace assay {
namespace {

constexpr int kMostSteps = 1000;

// Weight of the preconditioner as a share of the mean p (1 - p). Most samples have p (1 - p) far
// below the mean. Any weight from 1/100 to 3/10 of the mean takes about as many steps, so the
// kernel is rebuilt only outside of that range.
constexpr float kTypicalShare = 0.05F;
constexpr float kLeastShare = 0.01F;
constexpr float kLargestShare = 0.3F;

// Of the prior, in steps: nothing divides by zero where float has lost the data's.
constexpr double kLeastCurvature = 1e-20;

double inner(const FloatMatrix& a, const FloatMatrix& b) {
  return static_cast<double>(a.cwiseProduct(b).sum());
}

}  // namespace

NewtonDirection::NewtonDirection(ThreadPool& pool, const FloatMatrix& z, Index fitted,
                                 Index classes, double beta, bool orthogonal)
    : pool_(pool),
      z_(z),
      classes_(classes),
      per_sample_(1.0F / static_cast<float>(fitted)),
      prior_(static_cast<float>(std::max(1.0 / beta, kLeastCurvature))),
      // One product with n x n numbers for two with r x n.
      may_use_kernel_(orthogonal && classes > kThinColumns && z.cols() <= z.rows()),
      squares_(z.rowwise().squaredNorm()),
      likeliest_(static_cast<std::size_t>(z.cols())) {}

void NewtonDirection::move_to(const Matrix& probabilities) {
  p_ = probabilities.cast<float>();
  for (Index i = 0; i < p_.cols(); ++i)
    p_.col(i).maxCoeff(&likeliest_[static_cast<std::size_t>(i)]);
  mean_variance_ =
      static_cast<float>((probabilities.array() * (1.0 - probabilities.array())).mean());
  weight_ = kTypicalShare * mean_variance_;
}

// Conjugate gradients on H d = -g, preconditioned as decision 0010 says.
// A kernel costs as much as n / K steps by it save.
Matrix NewtonDirection::solve(const Matrix& gradient, double reduction, int& steps) {
  const int before = steps;
  const bool pays = kernel_serves() || last_steps_ * classes_ >= z_.cols();
  Matrix d = may_use_kernel_ && pays ? solve_by_kernel(gradient, reduction, steps)
                                     : solve_plainly(gradient, reduction, steps);
  last_steps_ = steps - before;
  return d;
}

bool NewtonDirection::kernel_serves() const {
  return kernel_.size() > 0 && kernel_weight_ >= kLeastShare * mean_variance_ &&
         kernel_weight_ <= kLargestShare * mean_variance_;
}

// The diagonal of C.
Eigen::VectorXf NewtonDirection::preconditioner() const {
  return (weight_ * per_sample_ * squares_.array() + prior_).inverse();
}

Matrix NewtonDirection::solve_plainly(const Matrix& gradient, double reduction, int& steps) const {
  const Eigen::VectorXf c = preconditioner();
  const double size = gradient.norm();
  FloatMatrix residual = (-gradient / size).cast<float>();  // of unit length: float has no room
  FloatMatrix d = FloatMatrix::Zero(gradient.rows(), gradient.cols());
  FloatMatrix scaled = c.asDiagonal() * residual;
  FloatMatrix search = scaled;
  double rho = inner(residual, scaled);
  for (int k = 0; k < kMostSteps && residual.norm() > reduction; ++k, ++steps) {
    const FloatMatrix image = times(search);
    const double bend = inner(search, image);
    if (!(bend > 0.0)) break;  // rounding
    const auto alpha = static_cast<float>(rho / bend);
    d += alpha * search;
    residual -= alpha * image;
    scaled = c.asDiagonal() * residual;
    const double next = inner(residual, scaled);
    search = scaled + static_cast<float>(next / rho) * search;
    rho = next;
  }
  return d.cast<double>() * size;
}

// The same steps in the coordinates of samples. A residual Z rho is kept as rho, a vector C Z e as
// e and as its logits f = Z'C Z e. With W = diag p - p p' for each sample
//
//     H C Z e = Z (1/n W f + (C^-1 - w/n Z Z') C Z e) = Z (e + 1/n (W - w) f),
//
// so that a step takes one product, the kernel Z'CZ with the new rho.
Matrix NewtonDirection::solve_by_kernel(const Matrix& gradient, double reduction, int& steps) {
  if (!kernel_serves()) make_kernel();
  const double size = gradient.norm();
  const Eigen::VectorXf inverse =
      (squares_.array() > 0.0F).select(squares_.array().inverse(), 0.0F);
  const FloatMatrix start = inverse.asDiagonal() * (-gradient / size).cast<float>();
  FloatMatrix rho = product(start, true, z_, false);  // Z rho = -g
  FloatMatrix logits = times_kernel(rho);
  FloatMatrix search = rho;
  FloatMatrix search_logits = logits;
  FloatMatrix d = FloatMatrix::Zero(rho.rows(), rho.cols());
  double squared = inner(rho, logits);
  const double enough = reduction * reduction * squared;
  for (int k = 0; k < kMostSteps && squared > enough; ++k, ++steps) {
    FloatMatrix image = search_logits;
    weigh(image, 0);
    image = search + per_sample_ * (image - kernel_weight_ * search_logits);
    const double bend = inner(search_logits, image);
    if (!(bend > 0.0)) break;  // rounding
    const auto alpha = static_cast<float>(squared / bend);
    d += alpha * search;
    rho -= alpha * image;
    logits = times_kernel(rho);
    const double next = inner(rho, logits);
    const auto kept = static_cast<float>(next / squared);
    search = rho + kept * search;
    search_logits = logits + kept * search_logits;
    squared = next;
  }
  return (c_.asDiagonal() * product(z_, false, d, true)).cast<double>() * size;
}

// Columns of a K x n or n x n matrix, shared out.
void NewtonDirection::for_columns(const std::function<void(Index first, Index count)>& work) const {
  constexpr Index width = 256;
  pool_.run((z_.cols() + width - 1) / width, [&](Index task) {
    const Index first = task * width;
    work(first, std::min(width, z_.cols() - first));
  });
}

void NewtonDirection::make_kernel() {
  kernel_weight_ = weight_;
  c_ = preconditioner();
  const FloatMatrix scaled = c_.asDiagonal() * z_;
  kernel_.resize(z_.cols(), z_.cols());
  for_columns([&](Index first, Index count) {
    kernel_.middleCols(first, count) = product(z_, true, scaled.middleCols(first, count), false);
  });
}

FloatMatrix NewtonDirection::times_kernel(const FloatMatrix& rho) const {
  FloatMatrix out(rho.rows(), rho.cols());
  for_columns([&](Index first, Index count) {
    out.middleCols(first, count) = product(rho, false, kernel_.middleCols(first, count), false);
  });
  return out;
}

// H v.
FloatMatrix NewtonDirection::times(const FloatMatrix& v) const {
  const Index rows = samples_per_task(z_.cols(), classes_);
  const Index tasks = (z_.cols() + rows - 1) / rows;
  std::vector<FloatMatrix> parts(static_cast<std::size_t>(tasks));
  pool_.run(tasks, [&](Index task) {
    const Index first = task * rows;
    parts[static_cast<std::size_t>(task)] =
        projected_sum<FloatMatrix>(v, z_, first, std::min(rows, z_.cols() - first),
                                   [&](Index row, FloatMatrix& u) { weigh(u, row); });
  });
  FloatMatrix out = prior_ * v;
  for (const FloatMatrix& part : parts) out += per_sample_ * part;
  return out;
}

// (diag p - p p') u for the samples from `first` on. Taken from the likeliest class's own entry,
// u loses nothing where that class is all but certain; the product is the same.
void NewtonDirection::weigh(FloatMatrix& u, Index first) const {
  for (Index i = 0; i < u.cols(); ++i) {
    const auto p = p_.col(first + i);
    auto column = u.col(i);
    column.array() -= column[likeliest_[static_cast<std::size_t>(first + i)]];
    column.array() -= column.dot(p);
    column = column.cwiseProduct(p);
  }
}

}  // namespace assay
