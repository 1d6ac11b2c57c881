#include "learn/float_logistic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "learn/projected_sum.h"
#include "linalg/gemm.h"

namespace assay {
namespace {

constexpr int kMostDescents = 400;
constexpr int kMostHalvings = 20;
constexpr double kSufficient = 1e-4;  // of the fall that the slope promises (Armijo)
// Weight of the preconditioner as a share of the mean p (1 - p), and the range in which it serves,
// as in NewtonDirection (decision 0010).
constexpr double kDescentShare = 0.05;
constexpr double kLeastDescentShare = 0.01;
constexpr double kLargestDescentShare = 0.3;
constexpr double kLargeMeanObjective = 0.1;  // nats; digits are relative to an objective below this

double product_sum(const FloatMatrix& a, const FloatMatrix& b) {
  double sum = 0.0;
  for (Index c = 0; c < a.cols(); ++c) sum += static_cast<double>(a.col(c).dot(b.col(c)));
  return sum;
}

// DescentSums over samples, one per task, added up in their order.
struct DescentSums {
  double loss = 0.0;
  double variance = 0.0;  // p (1 - p) over samples and classes
  double slope = 0.0;
  double bend = 0.0;

  void operator+=(const DescentSums& other) {
    loss += other.loss;
    variance += other.variance;
    slope += other.slope;
    bend += other.bend;
  }
};

// Logits become p - 1 for the own class and p for the others; what is small stays exact.
void to_residual(const Eigen::Ref<const Eigen::VectorXf>& logits, Index own,
                 Eigen::Ref<Eigen::VectorXf> residual, DescentSums& sums) {
  Index top = 0;
  const float largest = logits.maxCoeff(&top);
  residual = (logits.array() - largest).exp();
  const float lag = largest - logits[own];
  residual[top] = 0.0F;
  const float others = residual.sum();
  const float total = 1.0F + others;
  residual /= total;
  sums.loss += static_cast<double>(std::log1p(others) + lag);
  residual[top] = 1.0F / total;
  const float p = residual[own];
  residual[own] = 0.0F;
  const float squares = residual.squaredNorm();
  const float missing = residual.sum();  // 1 - p
  sums.variance += static_cast<double>(missing - squares + p * missing);
  residual[own] = -missing;
}

class Descent {
 public:
  Descent(ThreadPool& pool, const FloatMatrix& z, const std::vector<Label>& labels, double ridge,
          FloatMatrix& weights)
      : pool_(pool),
        z_(z),
        labels_(labels),
        ridge_(ridge),
        weights_(weights),
        task_rows_(samples_per_task(z.cols(), weights.cols())),
        tasks_((z.cols() + task_rows_ - 1) / task_rows_),
        logits_(float_logits(pool, weights, z)),
        residual_(weights.cols(), z.cols()) {
    square_ = product_sum(weights_, weights_);
    evaluate(nullptr, 0.0F);
  }

  double objective() const { return loss_ + 0.5 * ridge_ * square_; }

  double mean_variance() const { return variance_ / static_cast<double>(residual_.size()); }

  FloatMatrix gradient() const {
    std::vector<FloatMatrix> parts(static_cast<std::size_t>(tasks_));
    pool_.run(tasks_, [&](Index task) {
      FloatMatrix& part = parts[static_cast<std::size_t>(task)];
      const Index end = std::min((task + 1) * task_rows_, z_.cols());
      if (weights_.cols() > kThinColumns) {
        const Index first = task * task_rows_;
        part = product(z_.middleCols(first, end - first), false,
                       residual_.middleCols(first, end - first), true);
        return;
      }
      constexpr Index width = 32;
      part = FloatMatrix::Zero(weights_.rows(), weights_.cols());
      for (Index i = task * task_rows_; i < end; i += width) {
        const Index count = std::min(width, end - i);
        thin_accumulate(z_.middleCols(i, count), residual_.middleCols(i, count), part);
      }
    });
    FloatMatrix out = static_cast<float>(ridge_) * weights_;
    for (const FloatMatrix& part : parts) out += part;
    return out;
  }

  // One Newton step along the direction, halved until the objective falls as it should. What it
  // fell by; nothing (0) where rounding leaves no step.
  double step(const FloatMatrix& direction) {
    const FloatMatrix change = float_logits(pool_, direction, z_);
    const double along = ridge_ * product_sum(weights_, direction);
    const double across = product_sum(direction, direction);
    const DescentSums sums = slope_and_bend(change);
    const double slope = sums.slope + along;
    const double bend = sums.bend + ridge_ * across;
    if (!(slope < 0.0) || !(bend > 0.0)) return 0.0;
    const double before = objective();
    const double square = square_;
    double length = -slope / bend;
    double taken = 0.0;
    for (int k = 0; k < kMostHalvings; ++k, length *= 0.5) {
      evaluate(&change, static_cast<float>(length - taken));
      taken = length;
      square_ = square + 2.0 * length * along / ridge_ + length * length * across;
      if (objective() > before + kSufficient * length * slope) continue;
      weights_ += static_cast<float>(length) * direction;
      return before - objective();
    }
    evaluate(&change, static_cast<float>(-taken));
    square_ = square;
    return 0.0;
  }

 private:
  DescentSums over_tasks(
      const std::function<void(Index first, Index end, DescentSums& sums)>& work) const {
    std::vector<DescentSums> parts(static_cast<std::size_t>(tasks_));
    pool_.run(tasks_, [&](Index task) {
      work(task * task_rows_, std::min((task + 1) * task_rows_, z_.cols()),
           parts[static_cast<std::size_t>(task)]);
    });
    DescentSums out;
    for (const DescentSums& part : parts) out += part;
    return out;
  }

  // Moves the logits and says what they are worth.
  void evaluate(const FloatMatrix* change, float length) {
    const DescentSums sums = over_tasks([&](Index first, Index end, DescentSums& part) {
      for (Index i = first; i < end; ++i) {
        if (change != nullptr) logits_.col(i) += length * change->col(i);
        to_residual(logits_.col(i), labels_[static_cast<std::size_t>(i)], residual_.col(i), part);
      }
    });
    loss_ = sums.loss;
    variance_ = sums.variance;
  }

  // Of the loss along a change of the logits. Taken from the own class's change, whose share then
  // drops out of both.
  DescentSums slope_and_bend(const FloatMatrix& change) const {
    return over_tasks([&](Index first, Index end, DescentSums& part) {
      Eigen::VectorXf ahead(change.rows());
      for (Index i = first; i < end; ++i) {
        const float own = change(labels_[static_cast<std::size_t>(i)], i);
        ahead = change.col(i).array() - own;
        const auto p = residual_.col(i);
        const double mean = static_cast<double>(p.dot(ahead));
        const double squares = static_cast<double>(p.dot(ahead.cwiseAbs2()));
        part.slope += mean;
        part.bend += std::max(0.0, squares - mean * mean);
      }
    });
  }

  ThreadPool& pool_;
  const FloatMatrix& z_;
  const std::vector<Label>& labels_;
  double ridge_;
  FloatMatrix& weights_;
  Index task_rows_;
  Index tasks_;
  FloatMatrix logits_;    // K x n
  FloatMatrix residual_;  // p - 1 of own classes, p of others
  double square_ = 0.0;   // |W|^2
  double loss_ = 0.0;
  double variance_ = 0.0;
};

}  // namespace

FloatLogistic::FloatLogistic(ThreadPool& pool, FloatMatrix z, std::vector<Label> labels,
                             Index classes, GramPreconditioner& preconditioner, double share)
    : pool_(pool),
      z_(std::move(z)),
      labels_(std::move(labels)),
      classes_(classes),
      preconditioner_(preconditioner),
      share_(share) {}

// Polak and Ribiere's conjugate directions, begun anew where they point uphill or the
// preconditioner has served its time.
bool FloatLogistic::descend(double strength, double tolerance, FloatMatrix& weights) const {
  const auto n = static_cast<double>(count());
  if (weights.size() == 0) weights = FloatMatrix::Zero(z_.rows(), classes_);
  Descent state(pool_, z_, labels_, 1.0 / strength, weights);
  double weight = -1.0;
  const auto serves = [&] {
    const double variance = state.mean_variance();
    return weight >= kLeastDescentShare * variance && weight <= kLargestDescentShare * variance;
  };
  FloatMatrix gradient = state.gradient();
  FloatMatrix scaled;
  FloatMatrix search;
  double size = 0.0;  // g'M^-1 g
  for (int k = 0; k < kMostDescents; ++k) {
    bool afresh = search.size() == 0;
    if (!serves()) {
      weight = kDescentShare * state.mean_variance();
      preconditioner_.set(share_ * weight, 1.0 / strength);
      afresh = true;
    }
    if (afresh) {
      scaled = preconditioner_.apply(gradient);
      size = product_sum(gradient, scaled);
      search = -scaled;
    }
    const double fall = state.step(search);
    if (fall <= 0.0 && afresh) return true;  // no step but rounding's
    if (fall > 0.0) {
      const double objective = state.objective() / n;
      if (fall / n <= tolerance * std::min(1.0, objective / kLargeMeanObjective)) return true;
    }
    if (fall <= 0.0) {
      search.resize(0, 0);
      continue;
    }
    const FloatMatrix last = std::move(gradient);
    gradient = state.gradient();
    scaled = preconditioner_.apply(gradient);
    const double next = product_sum(gradient, scaled);
    const double kept = std::max(0.0, (next - product_sum(last, scaled)) / size);
    search = static_cast<float>(kept) * search - scaled;
    size = next;
  }
  return false;
}

FloatMatrix float_logits(ThreadPool& pool, const FloatMatrix& weights, const FloatMatrix& z) {
  const bool thin = weights.cols() <= kThinColumns;
  const Index width = thin ? 128 : 512;
  FloatMatrix out(weights.cols(), z.cols());
  pool.run((z.cols() + width - 1) / width, [&](Index task) {
    const Index first = task * width;
    const Index count = std::min(width, z.cols() - first);
    if (!thin) {
      gemm_into(out.col(first).data(), out.rows(), count, z.rows(),
                {weights.data(), weights.rows(), true}, {z.col(first).data(), z.rows(), false});
      return;
    }
    FloatMatrix part;
    thin_project(weights, z.middleCols(first, count), part);
    out.middleCols(first, count) = part;
  });
  return out;
}

}  // namespace assay
