#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/random.h"
#include "robust/strong_attack.h"

namespace assay {
namespace {

// Loss to raise and its gradient by the outputs, of one picture.
struct OutputLoss {
  double value = 0.0;
  Vector gradient;
};

OutputLoss cross_entropy_of(const Vector& z, Label label) {
  const double top = z.maxCoeff();
  const Vector shares = (z.array() - top).exp().matrix();
  const double sum = shares.sum();
  OutputLoss out{std::log(sum) + top - z[label], shares / sum};
  out.gradient[label] -= 1.0;
  return out;
}

// -(z_y - max z_i) / (z_first - z_third); over 1 where there are only two classes.
OutputLoss dlr_of(const Vector& z, Label label) {
  std::vector<Index> order(static_cast<std::size_t>(z.size()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::ranges::sort(order, [&](Index a, Index b) { return z[a] > z[b]; });
  const Index other = order[0] == label ? order[1] : order[0];
  constexpr double least = 1e-12;
  const bool three = z.size() > 2;
  const double over = three ? z[order[0]] - z[order[2]] + least : 1.0;
  const double ahead = z[label] - z[other];
  OutputLoss out{-ahead / over, Vector::Zero(z.size())};
  out.gradient[label] -= 1.0 / over;
  out.gradient[other] += 1.0 / over;
  if (three) {
    out.gradient[order[0]] += ahead / (over * over);
    out.gradient[order[2]] -= ahead / (over * over);
  }
  return out;
}

struct Climber {
  std::vector<float> x, before, gradient;
  std::vector<float> best, best_gradient;
  double loss = 0.0, best_loss = 0.0;
  double step = 0.0;
  Index gains = 0;  // since the last check
  double best_at_check = 0.0;
  bool halved_at_check = true;  // the first check may not blame a step that never changed
};

class Apgd {
 public:
  Apgd(Trainer& trainer, const AttackTask& task, const StrongAttack& attack, AttackLoss loss)
      : trainer_(trainer), task_(task), attack_(attack), loss_(loss) {}

  std::vector<bool> run(std::vector<bool> right, bool random_start) {
    for (Index i = 0; i < task_.images.count; ++i)
      if (right[static_cast<std::size_t>(i)]) start(i, random_start);
    evaluate(right);
    for (const Index i : active_) {
      Climber& at = climbers_[static_cast<std::size_t>(i)];
      at.best = at.before = at.x;
      at.best_gradient = at.gradient;
      at.best_loss = at.best_at_check = at.loss;
      at.step = 2.0 * attack_.epsilon;
    }
    Index check = first_check();
    Index last_check = 0;
    Index interval = check;
    for (Index k = 0; k < attack_.steps && !active_.empty(); ++k) {
      for (const Index i : active_) advance(i, k == 0);
      evaluate(right);
      for (const Index i : active_) keep_best(climbers_[static_cast<std::size_t>(i)]);
      if (k + 1 < check) continue;
      for (const Index i : active_)
        review(climbers_[static_cast<std::size_t>(i)], check - last_check);
      last_check = check;
      interval = std::max(interval - share(0.03), share(0.06));
      check += interval;
    }
    return right;
  }

 private:
  Index share(double part) const {
    return std::max<Index>(1, std::lround(part * static_cast<double>(attack_.steps)));
  }
  Index first_check() const { return share(0.22); }

  void start(Index i, bool random_start) {
    climbers_.resize(static_cast<std::size_t>(task_.images.count));
    const std::span<const float> picture = task_.images.image(i);
    Climber& at = climbers_[static_cast<std::size_t>(i)];
    at.x.assign(picture.begin(), picture.end());
    if (random_start) {
      // A direction of the sphere, a length of up to the radius.
      Random random(mixed_seed(attack_.seed, static_cast<std::uint64_t>(task_.first + i)));
      std::vector<float> shift(at.x.size());
      for (float& value : shift) value = static_cast<float>(random.normal());
      const double reach = attack_.epsilon * random.uniform() / length_of(shift);
      for (std::size_t j = 0; j < shift.size(); ++j)
        at.x[j] += static_cast<float>(reach * static_cast<double>(shift[j]));
      project(at.x, picture, attack_.epsilon);
    }
    active_.push_back(i);
  }

  // Losses and gradients where the active pictures are; those that are turned leave.
  void evaluate(std::vector<bool>& right) {
    if (active_.empty()) return;
    UnitImages images{{}, static_cast<Index>(active_.size()), task_.images.size};
    for (const Index i : active_) {
      const std::vector<float>& x = climbers_[static_cast<std::size_t>(i)].x;
      images.pixels.insert(images.pixels.end(), x.begin(), x.end());
    }
    const auto label_of = [&](Index k) {
      return task_.labels[static_cast<std::size_t>(active_[static_cast<std::size_t>(k)])];
    };
    std::vector<double> losses(active_.size());
    const Ascent up = ascend(trainer_, images, task_.map, task_.head, [&](const Matrix& outputs) {
      Matrix gradient(outputs.rows(), outputs.cols());
      for (Index k = 0; k < outputs.cols(); ++k) {
        const OutputLoss one = loss_ == AttackLoss::dlr
                                   ? dlr_of(outputs.col(k), label_of(k))
                                   : cross_entropy_of(outputs.col(k), label_of(k));
        losses[static_cast<std::size_t>(k)] = one.value;
        gradient.col(k) = one.gradient;
      }
      return gradient;
    });
    std::vector<Index> left;
    const auto length = static_cast<std::size_t>(images.length());
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const auto column = static_cast<Index>(k);
      if (margin_of(up.outputs.col(column), label_of(column)) <= 0.0) {
        right[static_cast<std::size_t>(active_[k])] = false;
        continue;
      }
      left.push_back(active_[k]);
      Climber& at = climbers_[static_cast<std::size_t>(active_[k])];
      if (losses[k] > at.loss) ++at.gains;
      at.loss = losses[k];
      const float* gradient = up.gradient.data() + k * length;
      at.gradient.assign(gradient, gradient + length);
    }
    active_ = std::move(left);
  }

  // x + 0.75 (z - x) + 0.25 (x - before), z a projected step; the first step is plain.
  void advance(Index i, bool plain) {
    Climber& at = climbers_[static_cast<std::size_t>(i)];
    const std::span<const float> centre = task_.images.image(i);
    const double slope = length_of(at.gradient);
    if (!(slope > 0.0)) return;
    std::vector<float> z = at.x;
    for (std::size_t j = 0; j < z.size(); ++j)
      z[j] += static_cast<float>(at.step * static_cast<double>(at.gradient[j]) / slope);
    project(z, centre, attack_.epsilon);
    constexpr float forward = 0.75F;
    if (!plain) {
      for (std::size_t j = 0; j < z.size(); ++j)
        z[j] = at.x[j] + forward * (z[j] - at.x[j]) + (1.0F - forward) * (at.x[j] - at.before[j]);
      project(z, centre, attack_.epsilon);
    }
    at.before = std::move(at.x);
    at.x = std::move(z);
  }

  static void keep_best(Climber& at) {
    if (at.loss <= at.best_loss) return;
    at.best_loss = at.loss;
    at.best = at.x;
    at.best_gradient = at.gradient;
  }

  static void review(Climber& at, Index interval) {
    constexpr double enough = 0.75;
    const bool few = static_cast<double>(at.gains) < enough * static_cast<double>(interval);
    const bool stuck = !at.halved_at_check && at.best_loss <= at.best_at_check;
    at.halved_at_check = few || stuck;
    at.best_at_check = at.best_loss;
    at.gains = 0;
    if (!at.halved_at_check) return;
    at.step *= 0.5;
    at.x = at.before = at.best;
    at.gradient = at.best_gradient;
    at.loss = at.best_loss;
  }

  Trainer& trainer_;
  const AttackTask& task_;
  const StrongAttack& attack_;
  AttackLoss loss_;
  std::vector<Climber> climbers_;
  std::vector<Index> active_;
};

}  // namespace

std::vector<bool> after_apgd(Trainer& trainer, const AttackTask& task, std::vector<bool> right,
                             const StrongAttack& attack, AttackLoss loss, bool random_start) {
  return Apgd(trainer, task, attack, loss).run(std::move(right), random_start);
}

}  // namespace assay
