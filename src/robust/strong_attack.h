#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "robust/attack.h"

namespace assay {

// The attacks that a head is tested with, one after another, each on the pictures that the earlier
// ones left rightly classified; a picture is dropped as soon as a step turns it.
struct StrongAttack {
  double epsilon = 0.0;
  Index pgd_steps = 10;  // projected gradient ascent of the cross-entropy, from the picture
  Index steps = 50;      // of each of the two APGD; 0: none
  Index restarts = 2;    // of APGD on the cross-entropy: from the picture, then from random points
  Index queries = 200;   // of the Square attack; 0: none
  std::uint64_t seed = 0;
};

// What is attacked.
struct AttackTask {
  const UnitImages& images;
  std::span<const Label> labels;
  const PixelMap& map;
  const LinearHead& head;
  Index first = 0;  // number of the first picture, for what is random
};

enum class AttackLoss { cross_entropy, dlr };

// Each takes which pictures are still right and says which are so afterwards.
std::vector<bool> after_pgd(Trainer& trainer, const AttackTask& task, std::vector<bool> right,
                            const StrongAttack& attack);

// Auto-PGD (Croce and Hein 2020): ascent with momentum whose step is halved, going back to the best
// point so far, when too few steps gained or the best has not changed. The difference-of-logits-
// ratio loss (z_y - max z_i) / (z_first - z_third) is the same for outputs of any length, which
// matters when a classifier is so sure that cross-entropy has no gradient left.
std::vector<bool> after_apgd(Trainer& trainer, const AttackTask& task, std::vector<bool> right,
                             const StrongAttack& attack, AttackLoss loss, bool random_start);

// Square (Andriushchenko et al. 2020), in l2: random search without gradients. A step moves what
// the shift has spent in one square window to another, in a pattern with a peak, and is kept when
// the margin falls.
std::vector<bool> after_square(Trainer& trainer, const AttackTask& task, std::vector<bool> right,
                               const StrongAttack& attack);

// All of them after PGD: APGD on both losses with its restarts, then Square.
std::vector<bool> after_strong(Trainer& trainer, const AttackTask& task, std::vector<bool> right,
                               const StrongAttack& attack);

// Which pictures are right as they are.
std::vector<bool> right_ones(Trainer& trainer, const AttackTask& task);

// The pictures that are marked, and their labels and numbers.
struct Selected {
  UnitImages images;
  std::vector<Label> labels;
  std::vector<Index> at;
};
Selected selected(const AttackTask& task, const std::vector<bool>& which);

// z_y less the largest other output; negative when the picture is turned. One picture's outputs.
double margin_of(const Eigen::Ref<const Vector>& outputs, Label label);

}  // namespace assay
