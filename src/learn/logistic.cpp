#include "learn/logistic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "learn/newton_direction.h"
#include "learn/projected_sum.h"

namespace assay {
namespace {

// What conjugate gradients take off a residual: at most as far as float carries; at least these, in
// the first step and later.
constexpr double kFloatDigits = 1e-5;
constexpr double kCautious = 0.1;
constexpr double kRough = 0.3;

// The gradient at zero may be nothing but rounding (classes that the features cannot tell apart);
// sizes are then relative to this share of the samples' size.
constexpr double kLeastGradient = 1e-3;
// A gradient of this size, relative to that at zero, is as good as none: with weak penalties
// rounding keeps the decrement from falling further.
constexpr double kNoGradient = 1e-11;
// Digits are relative to the objective below this many nats, down to this share of them.
constexpr double kLargeObjective = 0.1;
constexpr double kLeastShareOfLarge = 1e-7;
// A fit that has taken this many steps may stop at this decrement.
constexpr int kPatience = 200;
constexpr double kEnough = 2e-16;

double sum_without(const Eigen::Ref<const Vector>& x, Index one) {
  return x.head(one).sum() + x.tail(x.size() - one - 1).sum();
}

// Logits become probabilities; returns -log p of the label, or of the likeliest class where there
// is none.
double softmax(Eigen::Ref<Vector> column, const Label* label) {
  Index top = 0;
  const double largest = column.maxCoeff(&top);
  const double own = label != nullptr ? column[*label] - largest : 0.0;
  column = (column.array() - largest).exp();
  const double others = sum_without(column, top);
  column /= 1.0 + others;
  return std::log1p(others) - own;
}

// p - 1 for the label's own class, as minus the sum of the others: exact where p is next to 1.
void subtract_one(Eigen::Ref<Vector> p, Label label) { p[label] = -sum_without(p, label); }

double inner(const Matrix& a, const Matrix& b) { return a.cwiseProduct(b).sum(); }

Index fitted_samples(const Matrix& z, const std::vector<bool>& left_out) {
  return z.cols() - std::count(left_out.begin(), left_out.end(), true);
}

struct Evaluation {
  double value = 0.0;  // the objective
  double loss = 0.0;
  double penalty = 0.0;
  Matrix gradient;       // r x K
  Matrix probabilities;  // K x n; zeros for samples left out
};

class Objective {
 public:
  Objective(ThreadPool& pool, const Matrix& z, const std::vector<Label>& labels,
            const std::vector<bool>& left_out, Index classes, double beta)
      : pool_(pool),
        z_(z),
        labels_(labels),
        left_out_(left_out),
        fitted_(static_cast<double>(fitted_samples(z, left_out))),
        beta_(beta) {
    task_rows_ = samples_per_task(z_.cols(), classes);
    tasks_ = (z_.cols() + task_rows_ - 1) / task_rows_;
  }

  Evaluation operator()(const Matrix& weights) const {
    Evaluation out;
    out.probabilities.resize(weights.cols(), z_.cols());
    std::vector<double> losses(static_cast<std::size_t>(tasks_));
    out.gradient = over_rows(weights, [&](Index task, Index first, Matrix& p) {
      for (Index i = 0; i < p.cols(); ++i) {
        const auto sample = static_cast<std::size_t>(first + i);
        if (!left_out_.empty() && left_out_[sample]) {
          p.col(i).setZero();
          continue;
        }
        losses[static_cast<std::size_t>(task)] += softmax(p.col(i), &labels_[sample]);
      }
      out.probabilities.middleCols(first, p.cols()) = p;
      for (Index i = 0; i < p.cols(); ++i) {
        const auto sample = static_cast<std::size_t>(first + i);
        if (left_out_.empty() || !left_out_[sample]) subtract_one(p.col(i), labels_[sample]);
      }
    });
    for (const double loss : losses) out.loss += loss / fitted_;
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
      const Index count = std::min(task_rows_, z_.cols() - first);
      parts[static_cast<std::size_t>(task)] = projected_sum<Matrix>(
          v, z_, first, count, [&](Index row, Matrix& u) { change(task, row, u); });
    });
    Matrix out = v / beta_;
    for (const Matrix& part : parts) out += part / fitted_;
    return out;
  }

  ThreadPool& pool_;
  const Matrix& z_;
  const std::vector<Label>& labels_;
  const std::vector<bool>& left_out_;
  double fitted_;
  double beta_;
  Index task_rows_ = 0;
  Index tasks_ = 0;
};

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

// Whole cache lines: columns that begin in the middle of one cost a fifth more.
Index padded(Index rows) {
  constexpr Index floats_per_line = 16;
  return (rows + floats_per_line - 1) / floats_per_line * floats_per_line;
}

}  // namespace

LogisticProblem::LogisticProblem(ThreadPool& pool, const Matrix& z, std::vector<Label> labels,
                                 Index classes, bool orthogonal)
    : pool_(pool),
      labels_(std::move(labels)),
      classes_(classes),
      rows_(z.rows()),
      size_(std::sqrt(z.squaredNorm() / static_cast<double>(std::max<Index>(1, z.cols())))),
      // A power of two, so that squares of huge and tiny samples stay within float and no digit
      // changes.
      unit_(size_ > 0.0 ? std::ldexp(1.0, std::ilogb(size_)) : 1.0),
      orthogonal_(orthogonal),
      z_(Matrix::Zero(padded(z.rows()), z.cols())) {
  z_.topRows(rows_) = z;
  rough_ = (z_ / unit_).cast<float>();
}

// Newton with conjugate gradients inside (Nocedal and Wright, Numerical Optimization, ch. 7);
// decision 0010 has the preconditioner.
LogisticFit LogisticProblem::fit(const LogisticOptions& options, const LogisticFit* start,
                                 const std::vector<bool>& left_out) const {
  const Objective objective(pool_, z_, labels_, left_out, classes_, options.beta);
  LogisticFit fit;
  Matrix weights = Matrix::Zero(z_.rows(), classes_);
  Evaluation now = objective(weights);
  const double scale = std::max({now.gradient.norm(), kLeastGradient * size_, 1e-300});
  if (start != nullptr) {
    weights.topRows(rows_) = start->weights;
    now = objective(weights);
  }
  // Strongly convex: g'H^-1 g <= beta |g|^2.
  fit.decrement = options.beta * now.gradient.squaredNorm();
  // What is small in all is wanted to as many digits.
  const auto share = [&] {
    return std::clamp(now.value / kLargeObjective, kLeastShareOfLarge, 1.0);
  };
  const auto wanted = [&] {
    const double tolerance =
        fit.iterations < kPatience ? options.tolerance : std::max(options.tolerance, kEnough);
    return tolerance * share();
  };
  const auto flat = [&] { return now.gradient.norm() <= kNoGradient * scale * share(); };
  NewtonDirection directions(pool_, rough_, fitted_samples(z_, left_out), classes_,
                             options.beta * unit_ * unit_, orthogonal_);
  double last_size = 0.0;
  while (fit.decrement > wanted() && !flat() && fit.iterations < options.max_iterations) {
    // As many digits as the last step showed Newton's model to be good for (Eisenstat and Walker,
    // SIAM J. Sci. Comput. 1996), but no further than float carries or the tolerance asks.
    const double size = now.gradient.norm();
    const double earned =
        last_size > 0.0 ? std::min(kRough, 0.9 * std::pow(size / last_size, 1.5)) : kCautious;
    const double reduction =
        std::max({earned, kFloatDigits, 0.5 * std::sqrt(wanted() / fit.decrement)});
    last_size = size;
    directions.move_to(now.probabilities);
    const double before = now.gradient.squaredNorm();
    double decrement = 0.0;
    const auto step = [&](Matrix direction) {
      direction /= unit_ * unit_;
      ++fit.iterations;
      decrement = -inner(now.gradient, direction);
      return decrement > 0.0 && take_step(objective, direction, weights, now);
    };
    // Where curvatures span more than float's range, digits asked for may be digits lost.
    const bool stepped =
        step(directions.solve(now.gradient, reduction, fit.iterations)) ||
        step(directions.solve_plainly(now.gradient, std::max(reduction, kRough), fit.iterations));
    if (!stepped) break;
    const double after = now.gradient.squaredNorm();
    fit.decrement = std::min(decrement * after / before, options.beta * after);
  }
  fit.weights = weights.topRows(rows_);
  fit.loss = now.loss;
  fit.penalty = now.penalty;
  fit.converged = fit.decrement <= wanted() || flat();
  return fit;
}

Matrix logistic_probabilities(ThreadPool& pool, const Matrix& weights, const Matrix& z) {
  constexpr Index width = 512;
  Matrix out(weights.cols(), z.cols());
  pool.run((z.cols() + width - 1) / width, [&](Index task) {
    const Index first = task * width;
    const Index count = std::min(width, z.cols() - first);
    Matrix part = product(weights, true, z.middleCols(first, count), false);
    for (Index i = 0; i < count; ++i) softmax(part.col(i), nullptr);
    out.middleCols(first, count) = part;
  });
  return out;
}

}  // namespace assay
