#include "robust/strong_attack.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/random.h"

namespace assay {

double margin_of(const Eigen::Ref<const Vector>& outputs, Label label) {
  double other = -std::numeric_limits<double>::infinity();
  for (Index c = 0; c < outputs.size(); ++c)
    if (c != label) other = std::max(other, outputs[c]);
  return outputs[label] - other;
}

Selected selected(const AttackTask& task, const std::vector<bool>& which) {
  Selected out{{{}, 0, task.images.size}, {}, {}};
  for (Index i = 0; i < task.images.count; ++i) {
    if (!which[static_cast<std::size_t>(i)]) continue;
    const std::span<const float> picture = task.images.image(i);
    out.images.pixels.insert(out.images.pixels.end(), picture.begin(), picture.end());
    ++out.images.count;
    out.labels.push_back(task.labels[static_cast<std::size_t>(i)]);
    out.at.push_back(i);
  }
  return out;
}

std::vector<bool> right_ones(Trainer& trainer, const AttackTask& task) {
  const Matrix outputs = outputs_of(task.head, features_of(trainer, task.images, task.map));
  std::vector<bool> out;
  for (Index i = 0; i < outputs.cols(); ++i) {
    out.push_back(margin_of(outputs.col(i), task.labels[static_cast<std::size_t>(i)]) > 0.0);
  }
  return out;
}

std::vector<bool> after_pgd(Trainer& trainer, const AttackTask& task, std::vector<bool> right,
                            const StrongAttack& attack) {
  const double step = usual_step({attack.epsilon, attack.pgd_steps});
  Selected now = selected(task, right);
  UnitImages moved = now.images;
  for (Index k = 0; k < attack.pgd_steps && now.images.count > 0; ++k) {
    moved = climbed(trainer, now.images, std::move(moved), now.labels, task.map, task.head,
                    {attack.epsilon, 1}, step);
    const std::vector<bool> still =
        right_ones(trainer, {moved, now.labels, task.map, task.head, task.first});
    for (std::size_t i = 0; i < still.size(); ++i)
      if (!still[i]) right[static_cast<std::size_t>(now.at[i])] = false;
    moved = selected({moved, now.labels, task.map, task.head, 0}, still).images;
    now = selected(task, right);
  }
  return right;
}

std::vector<bool> after_strong(Trainer& trainer, const AttackTask& task, std::vector<bool> right,
                               const StrongAttack& attack) {
  if (attack.steps > 0) {
    for (Index k = 0; k < attack.restarts; ++k) {
      StrongAttack own = attack;
      own.seed = mixed_seed(attack.seed, static_cast<std::uint64_t>(k));
      right = after_apgd(trainer, task, std::move(right), own, AttackLoss::cross_entropy, k > 0);
    }
    right = after_apgd(trainer, task, std::move(right), attack, AttackLoss::dlr, false);
  }
  return attack.queries > 0 ? after_square(trainer, task, std::move(right), attack) : right;
}

}  // namespace assay
