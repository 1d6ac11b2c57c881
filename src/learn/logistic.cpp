#include "assay/learn/logistic.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "assay/linalg/gram.h"

namespace assay {
namespace {

constexpr std::size_t kMemory = 20;  // pairs of steps and gradients L-BFGS remembers
constexpr Index kMostTasks = 16;     // each keeps a gradient of its own

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

struct Evaluation {
  double value = 0.0;  // the objective
  double loss = 0.0;
  double penalty = 0.0;
  Matrix gradient;  // r x K
};

class Objective {
 public:
  Objective(ThreadPool& pool, const RowSpace& space, const std::vector<Label>& labels,
            Index classes, double beta)
      : pool_(pool), z_(space.z), labels_(labels), classes_(classes), beta_(beta) {
    task_rows_ = std::max<Index>(256, (z_.cols() + kMostTasks - 1) / kMostTasks);
    tasks_ = (z_.cols() + task_rows_ - 1) / task_rows_;
  }

  Evaluation operator()(const Matrix& weights) const {
    const auto n = static_cast<double>(z_.cols());
    std::vector<double> losses(static_cast<std::size_t>(tasks_));
    std::vector<Matrix> gradients(static_cast<std::size_t>(tasks_));
    pool_.run(tasks_, [&](Index task) {
      const Index first = task * task_rows_;
      const Index count = std::min(task_rows_, z_.cols() - first);
      const Matrix part = z_.middleCols(first, count);
      Matrix p = product(weights, true, part, false);
      losses[static_cast<std::size_t>(task)] = softmax(p, labels_.data() + first);
      for (Index i = 0; i < count; ++i) p(labels_[static_cast<std::size_t>(first + i)], i) -= 1.0;
      gradients[static_cast<std::size_t>(task)] = product(part, false, p, true);
    });
    Evaluation out;
    out.gradient = weights / beta_;
    for (std::size_t task = 0; task < losses.size(); ++task) {
      out.loss += losses[task] / n;
      out.gradient += gradients[task] / n;
    }
    out.penalty = weights.squaredNorm() / (2.0 * beta_);
    out.value = out.loss + out.penalty;
    return out;
  }

 private:
  ThreadPool& pool_;
  const Matrix& z_;
  const std::vector<Label>& labels_;
  Index classes_;
  double beta_;
  Index task_rows_ = 0;
  Index tasks_ = 0;
};

// The two-loop recursion over the last steps, started from the diagonal bound of the curvature.
class Memory {
 public:
  explicit Memory(Vector inverse_curvature) : inverse_(std::move(inverse_curvature)) {}

  void remember(Matrix step, Matrix change) {
    const double curvature = step.cwiseProduct(change).sum();
    if (!(curvature > 0.0)) return;
    const double scaled = change.cwiseProduct(inverse_.asDiagonal() * change).sum();
    gamma_ = curvature / scaled;
    pairs_.push_back({std::move(step), std::move(change), 1.0 / curvature});
    if (pairs_.size() > kMemory) pairs_.pop_front();
  }

  void forget() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }

  Matrix direction(const Matrix& gradient) const {
    Matrix q = gradient;
    std::vector<double> alpha(pairs_.size());
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      alpha[k] = pairs_[k].rho * pairs_[k].step.cwiseProduct(q).sum();
      q -= alpha[k] * pairs_[k].change;
    }
    q = gamma_ * (inverse_.asDiagonal() * q);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const double back = pairs_[k].rho * pairs_[k].change.cwiseProduct(q).sum();
      q += (alpha[k] - back) * pairs_[k].step;
    }
    return -q;
  }

 private:
  struct Pair {
    Matrix step, change;
    double rho = 0.0;
  };
  Vector inverse_;
  double gamma_ = 1.0;
  std::deque<Pair> pairs_;
};

// A step along `direction` that satisfies the weak Wolfe conditions, by bisection. Near the optimum
// the value changes less than its rounding: there a smaller slope decides alone.
struct Step {
  double length = 0.0;
  Matrix weights;
  Evaluation at;
};

Step line_search(const Objective& objective, const Matrix& weights, const Evaluation& from,
                 const Matrix& direction) {
  const double slope = from.gradient.cwiseProduct(direction).sum();
  const double rounding = 1e-14 * std::abs(from.value);
  double low = 0.0;
  double high = 0.0;  // 0: none yet
  Step step{1.0, {}, {}};
  for (int k = 0; k < 40; ++k) {
    step.weights = weights + step.length * direction;
    step.at = objective(step.weights);
    const double slope_here = step.at.gradient.cwiseProduct(direction).sum();
    if (step.at.value > from.value + 1e-4 * step.length * slope + rounding) {
      high = step.length;
    } else if (slope_here < 0.9 * slope) {
      low = step.length;
    } else {
      return step;
    }
    step.length = high > 0.0 ? 0.5 * (low + high) : 2.0 * step.length;
  }
  step.length = 0.0;
  return step;
}

}  // namespace

LogisticFit fit_logistic(ThreadPool& pool, const RowSpace& space, const std::vector<Label>& labels,
                         Index classes, const LogisticOptions& options, const LogisticFit* start) {
  const auto n = static_cast<double>(space.z.cols());
  const auto k = static_cast<double>(classes);
  const Objective objective(pool, space, labels, classes, options.beta);
  const Vector curvature = space.spectrum / n * ((1.0 - 1.0 / k) / k) +
                           Vector::Constant(space.spectrum.size(), 1.0 / options.beta);
  LogisticFit fit;
  fit.weights = Matrix::Zero(space.z.rows(), classes);
  Evaluation now = objective(fit.weights);
  const double scale = std::max(now.gradient.norm(), 1e-300);
  if (start != nullptr) {
    fit.weights = start->weights;
    now = objective(fit.weights);
  }
  Memory memory(curvature.cwiseInverse());
  for (; fit.iterations < options.max_iterations; ++fit.iterations) {
    if (now.gradient.norm() <= options.tolerance * scale) break;
    Step step = line_search(objective, fit.weights, now, memory.direction(now.gradient));
    if (step.length == 0.0) {  // rounding has spoilt the memory, or nothing is left to gain
      if (memory.empty()) break;
      memory.forget();
      continue;
    }
    memory.remember(step.weights - fit.weights, step.at.gradient - now.gradient);
    fit.weights = std::move(step.weights);
    now = std::move(step.at);
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
