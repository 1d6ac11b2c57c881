#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assay/network.h"
#include "assay/targets.h"
#include "assay/tune.h"
#include "assay/types.h"
#include "images/batches.h"
#include "learn/sgd.h"
#include "tune/mix_parameters.h"
#include "tune/penalty.h"

namespace assay {

struct TunerSetting {
  SgdOptions sgd = {};
  double head_factor = 10.0;  // of the learning rate, for all that is not the network
  bool head_bias = true;
  const Penalty* penalty = nullptr;  // none, or lambda = 0: plain fine-tuning
  double lambda = 0.0;
  // A penalty with lambda = 0 is looked at all the same: what it learns is learnt, its gradient
  // measured, but the network does not feel it.
  bool observe = false;
  double target_weight = 0.9;  // of the target itself, where networks are mixed
  std::uint64_t seed = 0;
};

struct StepLoss {
  double task = 0.0;
  double penalty = 0.0;  // without lambda
  double total = 0.0;
  double task_gradient = 0.0;     // lengths with respect to the features
  double penalty_gradient = 0.0;  // without lambda
};

// Everything that changes while training.
struct TunerState {
  std::vector<float> learnt;
  std::vector<float> velocity;
  std::vector<float> buffers;
};

// A network with a new linear head and its optimiser: one step of training at a time. The head
// starts at N(0, 0.01^2), its bias at 0.
class Tuner {
 public:
  // `dim`: of the features. `others`: parameters of networks of the same architecture to mix in
  // (MixedParameters). The trainer and the penalty must outlive the tuner.
  Tuner(Trainer& trainer, Index dim, const TaskTargets& targets, const TunerSetting& setting,
        std::span<const std::vector<float>> others = {});

  // One batch forward and back, then one step down the gradient of task + lambda * penalty.
  StepLoss step(const ImageBatch& images, std::span<const BatchRow> batch, double rate);

  // What the head says, outputs x batch; BatchNorm as it stands.
  Matrix outputs(const ImageBatch& images);

  // The running statistics after a batch has gone forward in training mode; nothing is learnt.
  std::vector<float> buffers_after(const ImageBatch& images);

  TunerState state() const;
  void set_state(TunerState state);

  TunedWeights weights() const;
  // Takes the weights of a finished network, for evaluation only.
  void set_weights(const TunedWeights& weights);

  const TaskTargets& targets() const { return targets_; }

 private:
  Index head_begin() const { return aggregate_.size(); }
  Index bias_begin() const { return head_begin() + dim_ * targets_.outputs; }
  Index own_begin() const { return bias_begin() + (setting_.head_bias ? targets_.outputs : 0); }

  Matrix head_weight() const;  // D x outputs
  Matrix features_of(const ImageBatch& images, Pass pass);
  Matrix through_head(const Matrix& features) const;
  std::vector<SgdRange> ranges(const std::vector<bool>& took_part) const;
  // Loss, and its gradient with respect to the features; fills that of head and penalty.
  StepLoss losses(const Matrix& features, std::span<const BatchRow> batch, Matrix& by_features,
                  std::vector<float>& gradient) const;

  Trainer& trainer_;
  Index dim_;
  const TaskTargets& targets_;
  TunerSetting setting_;
  MixedParameters aggregate_;
  std::vector<float> learnt_;  // networks, their mixing, head, bias, what the penalty learns
  Sgd sgd_;
};

}  // namespace assay
