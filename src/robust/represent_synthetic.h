#pragma once

#include <functional>
#include <span>
#include <vector>

#include "assay/network.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "robust/synbench.h"
#include "robust/synthetic.h"

namespace assay {

// SynBench's synthetic inputs as a network sees them: numbers about 0.5, like images in [0, 1],
// then the network's own normalisation.
class SyntheticRepresentations {
 public:
  // `data` is without its dimension, which the network's input size gives. The network must stay.
  SyntheticRepresentations(ThreadPool& pool, Network& network, const Preprocessing& preprocessing,
                           SyntheticData data);

  Index dim() const { return dim_; }  // of the representation

  // The features of all samples at these scales, D x samples each. `ran` hears of every batch, how
  // many images it had. Throws Error when the network gives something else than finite numbers,
  // `dim` for each.
  std::vector<LabelledRepresentation> at(std::span<const double> scales,
                                         const std::function<void(Index images)>& ran) const;

 private:
  void run(const InputBlock& block, FloatMatrix& features) const;

  ThreadPool& pool_;
  Network& network_;
  Preprocessing preprocessing_;
  SyntheticData data_;
  Index dim_ = 0;
};

}  // namespace assay
