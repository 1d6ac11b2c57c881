#include "assay/learn/logistic.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "assay/linalg/gram.h"

namespace assay {
namespace {

constexpr Index kMostTasks = 16;  // each keeps a gradient of its own
constexpr int kMostInner = 500;   // conjugate gradient steps per Newton step

// Of the prior, in steps: nothing divides by zero where float has lost the data's.
constexpr double kLeastCurvature = 1e-20;
// The gradient at zero may be nothing but rounding (classes that the features cannot tell apart);
// the tolerance is then relative to this share of the samples' size.
constexpr double kLeastGradient = 1e-3;

// Columns of logits become probabilities; returns the sum of -log p of the labels.
double softmax(Eigen::Ref<Matrix> logits, const Label* labels) {
  double loss = 0.0;
  for (Index i = 0; i < logits.cols(); ++i) {
    auto column = logits.col(i);
    const double largest = column.maxCoeff();
    const double own = labels != nullptr ? column[labels[i]] - largest : 0.0;
    column = (column.array() - largest).exp();
    const double sum = column.sum();
    column /= sum;
    loss += std::log(sum) - own;
  }
  return loss;
}

double inner(const Matrix& a, const Matrix& b) { return a.cwiseProduct(b).sum(); }
double inner(const FloatMatrix& a, const FloatMatrix& b) {
  return static_cast<double>(a.cwiseProduct(b).sum());
}

Index task_rows(Index samples) {
  return std::max<Index>(128, (samples + kMostTasks - 1) / kMostTasks);
}

struct Evaluation {
  double value = 0.0;  // the objective
  double loss = 0.0;
  double penalty = 0.0;
  Matrix gradient;       // r x K
  Matrix probabilities;  // K x n
};

class Objective {
 public:
  Objective(ThreadPool& pool, const RowSpace& space, const std::vector<Label>& labels, double beta)
      : pool_(pool), z_(space.z), labels_(labels), beta_(beta) {
    task_rows_ = task_rows(z_.cols());
    tasks_ = (z_.cols() + task_rows_ - 1) / task_rows_;
  }

  Evaluation operator()(const Matrix& weights) const {
    Evaluation out;
    out.probabilities.resize(weights.cols(), z_.cols());
    std::vector<double> losses(static_cast<std::size_t>(tasks_));
    out.gradient = over_rows(weights, [&](Index task, Index first, Matrix& p) {
      losses[static_cast<std::size_t>(task)] = softmax(p, labels_.data() + first);
      out.probabilities.middleCols(first, p.cols()) = p;
      for (Index i = 0; i < p.cols(); ++i)
        p(labels_[static_cast<std::size_t>(first + i)], i) -= 1.0;
    });
    for (const double loss : losses) out.loss += loss / static_cast<double>(z_.cols());
    out.penalty = weights.squaredNorm() / (2.0 * beta_);
    out.value = out.loss + out.penalty;
    return out;
  }

 private:
  // 1/n sum_i z_i u_i' + v / beta with u_i made by `change` from v'z_i, rows shared out in tasks.
  Matrix over_rows(const Matrix& v,
                   const std::function<void(Index task, Index first, Matrix& u)>& change) const {
    std::vector<Matrix> parts(static_cast<std::size_t>(tasks_));
    pool_.run(tasks_, [&](Index task) {
      const Index first = task * task_rows_;
      const auto part = z_.middleCols(first, std::min(task_rows_, z_.cols() - first));
      Matrix u = product(v, true, part, false);
      change(task, first, u);
      parts[static_cast<std::size_t>(task)] = product(part, false, u, true);
    });
    Matrix out = v / beta_;
    for (const Matrix& part : parts) out += part / static_cast<double>(z_.cols());
    return out;
  }

  ThreadPool& pool_;
  const Matrix& z_;
  const std::vector<Label>& labels_;
  double beta_;
  Index task_rows_ = 0;
  Index tasks_ = 0;
};

// The Hessian at one point, H = 1/n sum_i (diag p_i - p_i p_i') x z_i z_i' + I / beta, in float: it
// only shapes the steps, the gradients that steer them are in double, and it is where the time
// goes.
class Curvature {
 public:
  Curvature(ThreadPool& pool, const FloatMatrix& z, const Matrix& probabilities, double beta)
      : pool_(pool),
        z_(z),
        p_(probabilities.cast<float>()),
        per_sample_(1.0F / static_cast<float>(z.cols())),
        prior_(static_cast<float>(std::max(1.0 / beta, kLeastCurvature))) {}

  FloatMatrix times(const FloatMatrix& v) const {
    return sum_over_rows(prior_ * v, [&](Index first, Index count) {
      const auto part = z_.middleCols(first, count);
      const auto p = p_.middleCols(first, count);
      FloatMatrix u = product(v, true, part, false);
      u = u.cwiseProduct(p);
      for (Index i = 0; i < count; ++i) u.col(i) -= u.col(i).sum() * p.col(i);
      return product(part, false, u, true);
    });
  }

  FloatMatrix diagonal() const {
    return sum_over_rows(
        FloatMatrix::Constant(z_.rows(), p_.rows(), prior_), [&](Index first, Index count) {
          const auto p = p_.middleCols(first, count).array();
          return product(z_.middleCols(first, count).cwiseAbs2(), false, p * (1.0F - p), true);
        });
  }

 private:
  FloatMatrix sum_over_rows(FloatMatrix out,
                            const std::function<FloatMatrix(Index, Index)>& part_of) const {
    const Index rows = task_rows(z_.cols());
    const Index tasks = (z_.cols() + rows - 1) / rows;
    std::vector<FloatMatrix> parts(static_cast<std::size_t>(tasks));
    pool_.run(tasks, [&](Index task) {
      const Index first = task * rows;
      parts[static_cast<std::size_t>(task)] = part_of(first, std::min(rows, z_.cols() - first));
    });
    for (const FloatMatrix& part : parts) out += per_sample_ * part;
    return out;
  }

  ThreadPool& pool_;
  const FloatMatrix& z_;
  FloatMatrix p_;  // K x n
  float per_sample_;
  float prior_;
};

// H d = -g by conjugate gradients, scaled by the diagonal of H, until the residual has shrunk by
// `reduction`.
Matrix newton_direction(const Curvature& curvature, const Matrix& gradient, double reduction,
                        int& steps) {
  const FloatMatrix inverse = curvature.diagonal().cwiseInverse();
  const double size = gradient.norm();
  FloatMatrix residual = (-gradient / size).cast<float>();  // of unit length: float has no room
  FloatMatrix d = FloatMatrix::Zero(gradient.rows(), gradient.cols());
  FloatMatrix scaled = inverse.cwiseProduct(residual);
  FloatMatrix search = scaled;
  double rho = inner(residual, scaled);
  for (int k = 0; k < kMostInner && residual.norm() > reduction; ++k, ++steps) {
    const FloatMatrix image = curvature.times(search);
    const double bend = inner(search, image);
    if (!(bend > 0.0)) break;  // rounding
    const auto alpha = static_cast<float>(rho / bend);
    d += alpha * search;
    residual -= alpha * image;
    scaled = inverse.cwiseProduct(residual);
    const double next = inner(residual, scaled);
    search = scaled + static_cast<float>(next / rho) * search;
    rho = next;
  }
  return d.cast<double>() * size;
}

// Halves the step until the objective falls as it should; near the optimum it changes less than
// its rounding, and a smaller gradient decides.
bool take_step(const Objective& objective, const Matrix& direction, Matrix& weights,
               Evaluation& now) {
  const double slope = inner(now.gradient, direction);
  const double rounding = 1e-14 * std::abs(now.value);
  double length = 1.0;
  for (int k = 0; k < 30; ++k, length *= 0.5) {
    const Matrix trial = weights + length * direction;
    Evaluation there = objective(trial);
    const bool falls = there.value <= now.value + 1e-4 * length * slope;
    const bool level =
        there.value <= now.value + rounding && there.gradient.norm() < now.gradient.norm();
    if (!falls && !level) continue;
    weights = trial;
    now = std::move(there);
    return true;
  }
  return false;
}

// The root of the samples' mean squared norm.
double sample_size(const RowSpace& space) {
  return std::sqrt(space.spectrum.sum() / static_cast<double>(space.z.cols()));
}

}  // namespace

LogisticFit fit_logistic(ThreadPool& pool, const RowSpace& space, const std::vector<Label>& labels,
                         Index classes, const LogisticOptions& options, const LogisticFit* start) {
  const Objective objective(pool, space, labels, options.beta);
  const double size = sample_size(space);
  // A power of two, so that squares of huge and tiny samples stay within float and no digit
  // changes.
  const double unit = size > 0.0 ? std::ldexp(1.0, std::ilogb(size)) : 1.0;
  const FloatMatrix z = (space.z / unit).cast<float>();
  LogisticFit fit;
  fit.weights = Matrix::Zero(space.z.rows(), classes);
  Evaluation now = objective(fit.weights);
  const double scale = std::max({now.gradient.norm(), kLeastGradient * size, 1e-300});
  if (start != nullptr) {
    fit.weights = start->weights;
    now = objective(fit.weights);
  }
  while (fit.iterations < options.max_iterations) {
    const double relative = now.gradient.norm() / scale;
    if (relative <= options.tolerance) break;
    // Superlinear at first, then as far as float carries, but no further than the tolerance asks.
    const double reduction =
        std::max({std::min(0.1, std::sqrt(relative)), 1e-3, 0.5 * options.tolerance / relative});
    const Curvature curvature(pool, z, now.probabilities, options.beta * unit * unit);
    const Matrix direction =
        newton_direction(curvature, now.gradient, reduction, fit.iterations) / (unit * unit);
    ++fit.iterations;
    if (!take_step(objective, direction, fit.weights, now)) break;
  }
  fit.loss = now.loss;
  fit.penalty = now.penalty;
  fit.gradient_norm = now.gradient.norm() / scale;
  fit.converged = fit.gradient_norm <= options.tolerance;
  return fit;
}

Matrix logistic_probabilities(ThreadPool& pool, const Matrix& weights, const Matrix& z) {
  constexpr Index width = 512;
  Matrix out(weights.cols(), z.cols());
  pool.run((z.cols() + width - 1) / width, [&](Index task) {
    const Index first = task * width;
    const Index count = std::min(width, z.cols() - first);
    Matrix part = product(weights, true, z.middleCols(first, count), false);
    softmax(part, nullptr);
    out.middleCols(first, count) = part;
  });
  return out;
}

}  // namespace assay
