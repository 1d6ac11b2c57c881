#include "tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "assay/error.h"
#include "learn/losses.h"
#include "linalg/gram.h"

namespace assay {
namespace {

constexpr std::uint64_t kHeadStream = 1;  // of the seed; what the penalty draws must not shift it
constexpr std::uint64_t kPenaltyStream = 2;

std::vector<float> first_values(const Trainer& trainer, const MixedParameters& aggregate,
                                std::span<const std::vector<float>> others, double first_weight) {
  std::vector<std::vector<float>> networks = {trainer.state(StateKind::parameters)};
  networks.insert(networks.end(), others.begin(), others.end());
  return aggregate.start(networks, first_weight);
}

LossGradient task_loss(const TaskTargets& targets, const Matrix& outputs,
                       std::span<const BatchRow> batch) {
  if (targets.kind == TargetKind::classes) {
    std::vector<Label> labels;
    for (const BatchRow& row : batch)
      labels.push_back(targets.labels[static_cast<std::size_t>(row.row)]);
    return cross_entropy(outputs, labels);
  }
  Matrix values(targets.outputs, outputs.cols());
  for (Index i = 0; i < values.cols(); ++i)
    values.col(i) = targets.values.col(batch[static_cast<std::size_t>(i)].row);
  return targets.kind == TargetKind::multi_label ? binary_cross_entropy(outputs, values)
                                                 : mean_squared_error(outputs, values);
}

}  // namespace

Tuner::Tuner(Trainer& trainer, Index dim, const TaskTargets& targets, const TunerSetting& setting,
             std::span<const std::vector<float>> others)
    : trainer_(trainer),
      dim_(dim),
      targets_(targets),
      setting_(setting),
      aggregate_(trainer.tensors(StateKind::parameters), static_cast<Index>(others.size()) + 1),
      learnt_(first_values(trainer, aggregate_, others, setting.target_weight)),
      sgd_(0, setting.sgd) {
  constexpr double sd = 0.01;
  Random random(mixed_seed(setting.seed, kHeadStream));
  for (Index i = 0; i < dim * targets.outputs; ++i)
    learnt_.push_back(static_cast<float>(sd * random.normal()));
  if (setting.head_bias)
    learnt_.insert(learnt_.end(), static_cast<std::size_t>(targets.outputs), 0.0F);
  if (setting.lambda == 0.0 && !setting.observe) setting_.penalty = nullptr;
  if (setting_.penalty != nullptr) {
    Random own_random(mixed_seed(setting.seed, kPenaltyStream));
    const std::vector<float> own = setting_.penalty->initial(dim, own_random);
    learnt_.insert(learnt_.end(), own.begin(), own.end());
  }
  sgd_ = Sgd(static_cast<Index>(learnt_.size()), setting.sgd);
  if (aggregate_.sources() > 1)
    trainer_.set_state(StateKind::parameters, aggregate_.network(learnt_));
}

Matrix Tuner::head_weight() const {
  return Eigen::Map<const Eigen::MatrixXf>(learnt_.data() + head_begin(), dim_, targets_.outputs)
      .cast<double>();
}

Matrix Tuner::features_of(const ImageBatch& images, Pass pass) {
  const std::vector<float> values = trainer_.forward(images, pass);
  if (static_cast<Index>(values.size()) != dim_ * images.count) {
    fail_input(fmt::format("the network gave {} numbers for {} images; expected {} features each",
                           values.size(), images.count, dim_));
  }
  return Eigen::Map<const Eigen::MatrixXf>(values.data(), dim_, images.count).cast<double>();
}

Matrix Tuner::through_head(const Matrix& features) const {
  Matrix outputs = product(head_weight(), true, features, false);
  if (setting_.head_bias) {
    outputs.colwise() +=
        Eigen::Map<const Eigen::VectorXf>(learnt_.data() + bias_begin(), targets_.outputs)
            .cast<double>();
  }
  return outputs;
}

StepLoss Tuner::losses(const Matrix& features, std::span<const BatchRow> batch, Matrix& by_features,
                       std::vector<float>& gradient) const {
  const LossGradient task = task_loss(targets_, through_head(features), batch);
  StepLoss out{task.loss, 0.0, task.loss};
  by_features = product(head_weight(), false, task.gradient, false);
  Eigen::Map<Eigen::MatrixXf>(gradient.data() + head_begin(), dim_, targets_.outputs) =
      product(features, false, task.gradient, true).cast<float>();
  if (setting_.head_bias) {
    Eigen::Map<Eigen::VectorXf>(gradient.data() + bias_begin(), targets_.outputs) =
        task.gradient.rowwise().sum().cast<float>();
  }
  if (setting_.penalty == nullptr) return out;
  const std::span<const float> own(learnt_.begin() + own_begin(), learnt_.end());
  const PenaltyGradient penalty = setting_.penalty->at(features, batch, own);
  out.penalty = penalty.loss;
  out.total += setting_.lambda * penalty.loss;
  out.task_gradient = by_features.norm();
  out.penalty_gradient = penalty.features.norm();
  by_features += setting_.lambda * penalty.features;
  // What a penalty learns has no part in the task: lambda would only change its learning rate.
  std::copy(penalty.own.begin(), penalty.own.end(), gradient.begin() + own_begin());
  return out;
}

// Mixing weights are drawn to no value: decay would make them equal.
std::vector<SgdRange> Tuner::ranges(const std::vector<bool>& took_part) const {
  std::vector<SgdRange> out;
  for (Index k = 0; k < aggregate_.sources(); ++k) {
    for (Index l = 0; l < aggregate_.tensors(); ++l) {
      if (!took_part[static_cast<std::size_t>(l)]) continue;
      const MixedParameters::Range range = aggregate_.tensor(k, l);
      out.push_back({range.begin, range.end, 1.0, 1.0});
    }
  }
  if (aggregate_.size() > aggregate_.logits_begin())
    out.push_back({aggregate_.logits_begin(), aggregate_.size(), setting_.head_factor, 0.0});
  out.push_back({head_begin(), static_cast<Index>(learnt_.size()), setting_.head_factor, 1.0});
  return out;
}

StepLoss Tuner::step(const ImageBatch& images, std::span<const BatchRow> batch, double rate) {
  assert(static_cast<Index>(batch.size()) == images.count);
  const Matrix features = features_of(images, Pass::training);
  std::vector<float> gradient(learnt_.size());
  Matrix by_features;
  const StepLoss loss = losses(features, batch, by_features, gradient);
  const Eigen::MatrixXf outer = by_features.cast<float>();
  const ParameterGradient network =
      trainer_.backward({outer.data(), static_cast<std::size_t>(outer.size())});
  const std::vector<float> aggregate = aggregate_.gradient(learnt_, network.values);
  std::copy(aggregate.begin(), aggregate.end(), gradient.begin());
  sgd_.step(learnt_, gradient, rate, ranges(network.took_part));
  trainer_.set_state(StateKind::parameters, aggregate_.network(learnt_));
  return loss;
}

Matrix Tuner::outputs(const ImageBatch& images) {
  return through_head(features_of(images, Pass::evaluation));
}

std::vector<float> Tuner::buffers_after(const ImageBatch& images) {
  features_of(images, Pass::training);
  return trainer_.state(StateKind::buffers);
}

TunerState Tuner::state() const {
  return {learnt_, sgd_.velocity(), trainer_.state(StateKind::buffers)};
}

void Tuner::set_state(TunerState state) {
  assert(state.learnt.size() == learnt_.size());
  learnt_ = std::move(state.learnt);
  sgd_.set_velocity(std::move(state.velocity));
  trainer_.set_state(StateKind::parameters, aggregate_.network(learnt_));
  trainer_.set_state(StateKind::buffers, state.buffers);
}

TunedWeights Tuner::weights() const {
  const auto outputs = static_cast<std::size_t>(targets_.outputs);
  TunedWeights out{aggregate_.network(learnt_),
                   trainer_.state(StateKind::buffers),
                   {learnt_.begin() + head_begin(), learnt_.begin() + bias_begin()},
                   std::vector<float>(outputs)};
  std::copy(learnt_.begin() + bias_begin(), learnt_.begin() + own_begin(), out.head_bias.begin());
  return out;
}

void Tuner::set_weights(const TunedWeights& weights) {
  trainer_.set_state(StateKind::parameters, weights.parameters);
  trainer_.set_state(StateKind::buffers, weights.buffers);
  std::copy(weights.head_weight.begin(), weights.head_weight.end(), learnt_.begin() + head_begin());
  std::copy_n(weights.head_bias.begin(), own_begin() - bias_begin(),
              learnt_.begin() + bias_begin());
}

}  // namespace assay
