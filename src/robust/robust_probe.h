#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "assay/robust.h"
#include "linalg/gram.h"
#include "robust/attack.h"
#include "robust/corruption.h"
#include "robust/strong_attack.h"

namespace assay {

// Pictures that are made when they are asked for.
struct ProbeImages {
  std::function<UnitImages(std::span<const Index>)> read;
  std::vector<Label> labels;
};

struct RobustProbeOptions {
  AttackOptions attack;  // what the head is trained against; epsilon 0: a plain probe
  Index classes = 0;
  Index epochs = 10;
  Index batch = 48;
  double rate = 0.1;
  double weight_decay = 5e-4;
  std::uint64_t seed = 0;
  bool keep_shifts = true;  // attacks go on from epoch to epoch; holds all attacked pictures
};

// Features of all pictures as they are, D x count: what heads of all epsilons and seeds share.
FloatMatrix clean_features(Trainer& trainer, const ProbeImages& images, const PixelMap& map,
                           Index batch);

// eps-robust linear probing: with the network fixed, the head that minimises
//
//     E max_{|delta|_2 <= eps} cross-entropy(head(network(x + delta)), y)
//
// by SGD with Nesterov momentum and a cosine schedule. Features are standardised by those of the
// clean training pictures, `clean` (the same linear head, better conditioned).
//
// A plain head costs no pass through the network beyond those features. For a robust one the
// attack.steps steps of ascent are spread over the epochs: in each epoch every picture goes on for
// steps / epochs steps from where the last epoch left it, long enough to cross the ball, so attacks
// are coarse while the head is young. A picture costs as many passes in all epochs as it would in
// one. Without `keep_shifts` every epoch climbs anew, all steps.
// `progress` is told the share of batches done.
LinearHead train_robust_probe(Trainer& trainer, const ProbeImages& train, const FloatMatrix& clean,
                              const PixelMap& map, const RobustProbeOptions& options,
                              const std::function<void(double)>& progress);

// What the head makes of test pictures as they are and after each attack (none: epsilon 0);
// corruptions are left open.
RobustAccuracy attack_probe(Trainer& trainer, const ProbeImages& test, const PixelMap& map,
                            const LinearHead& head, std::span<const StrongAttack> attacks,
                            Index batch, const std::function<void(double)>& progress);

// The accuracy of every head on test pictures after a corruption. Corrupted pictures go through the
// network once for all heads.
std::vector<double> corrupted_accuracies(Trainer& trainer, const ProbeImages& test,
                                         const PixelMap& map, std::span<const LinearHead> heads,
                                         Corruption corruption, int severity, Index batch,
                                         std::uint64_t seed);

}  // namespace assay
