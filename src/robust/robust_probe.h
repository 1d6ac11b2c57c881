#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "assay/robust.h"
#include "robust/attack.h"
#include "robust/corruption.h"

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
};

// eps-robust linear probing: with the network fixed, the head that minimises
//
//     E max_{|delta|_2 <= eps} cross-entropy(head(network(x + delta)), y)
//
// by SGD with Nesterov momentum and a cosine schedule, the inner maximum by PGD through the network
// on every batch. Features are standardised by those of the clean training pictures (the same
// linear head, better conditioned). `progress` is told the share of batches done.
LinearHead train_robust_probe(Trainer& trainer, const ProbeImages& train, const PixelMap& map,
                              const RobustProbeOptions& options,
                              const std::function<void(double)>& progress);

// What the head makes of test pictures: as they are, attacked with each epsilon (none: 0), and
// corrupted.
RobustAccuracy test_robust_probe(Trainer& trainer, const ProbeImages& test, const PixelMap& map,
                                 const LinearHead& head, std::span<const AttackOptions> attacks,
                                 Index batch, std::uint64_t seed);

}  // namespace assay
