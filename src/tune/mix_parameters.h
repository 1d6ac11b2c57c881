#pragma once

#include <span>
#include <vector>

#include "assay/network.h"
#include "assay/types.h"

namespace assay {

// Parameters of K networks of one architecture, mixed tensor by tensor (Zoo-tuning without its
// gates: the weights do not depend on the input):
//
//     theta_l = sum_k w_lk theta_kl,   w_l = softmax(a_l)
//
// The theta_kl and the a_lk are learnt, network after network, then the a (tensor after tensor).
// One network is the plain case: theta = theta_1 and no a.
class MixedParameters {
 public:
  MixedParameters(const std::vector<StateTensor>& tensors, Index sources);

  Index network_size() const { return network_size_; }
  Index logits_begin() const { return sources_ * network_size_; }
  Index size() const { return logits_begin() + logit_count(); }

  // All parameters, from those of the networks; the first has weight `first_weight` in every
  // tensor, the others share the rest.
  std::vector<float> start(std::span<const std::vector<float>> networks, double first_weight) const;

  // theta, and dL/d all parameters from dL/dtheta.
  std::vector<float> network(std::span<const float> parameters) const;
  std::vector<float> gradient(std::span<const float> parameters,
                              std::span<const float> network_gradient) const;

  // [begin, end) of tensor l in network k.
  struct Range {
    Index begin, end;
  };
  Range tensor(Index network, Index tensor) const;
  Index tensors() const { return static_cast<Index>(begins_.size()) - 1; }
  Index sources() const { return sources_; }

 private:
  Index logit_count() const { return sources_ > 1 ? tensors() * sources_ : 0; }
  Vector weights(std::span<const float> parameters, Index tensor) const;

  std::vector<Index> begins_;  // of each tensor, and the end of the last
  Index sources_;
  Index network_size_;
};

}  // namespace assay
