#pragma once

#include <algorithm>
#include <vector>

#include "assay/network.h"
#include "assay/types.h"

namespace assay::test {

// A network small enough to follow by hand: features = relu(W x + b) of images of one pixel and
// many channels, b = 0 at the start. Its buffer, the running mean of the features, is added to them
// in evaluation, so that a lost buffer shows.
class ReluTrainer : public Trainer {
 public:
  explicit ReluTrainer(Eigen::MatrixXf weights)
      : weights_(std::move(weights)),
        bias_(Eigen::VectorXf::Zero(weights_.rows())),
        mean_(Eigen::VectorXf::Zero(weights_.rows())),
        parameters_({{"weight", weights_.size()}, {"bias", bias_.size()}}),
        buffers_({{"mean", mean_.size()}}) {}

  const std::vector<StateTensor>& tensors(StateKind kind) const override {
    return kind == StateKind::parameters ? parameters_ : buffers_;
  }

  std::vector<float> state(StateKind kind) const override {
    if (kind == StateKind::buffers) return {mean_.begin(), mean_.end()};
    std::vector<float> all(weights_.data(), weights_.data() + weights_.size());
    all.insert(all.end(), bias_.begin(), bias_.end());
    return all;
  }

  void set_state(StateKind kind, std::span<const float> values) override {
    if (kind == StateKind::buffers) {
      std::copy(values.begin(), values.end(), mean_.data());
      return;
    }
    std::copy_n(values.begin(), weights_.size(), weights_.data());
    std::copy_n(values.begin() + weights_.size(), bias_.size(), bias_.data());
  }

  std::vector<float> forward(const ImageBatch& batch, Pass pass) override {
    images_ = Eigen::Map<const Eigen::MatrixXf>(batch.pixels, batch.channels, batch.count);
    features_ = ((weights_ * images_).colwise() + bias_).cwiseMax(0.0F);
    if (pass == Pass::training) {
      mean_ = 0.9F * mean_ + 0.1F * features_.rowwise().mean();
      return {features_.data(), features_.data() + features_.size()};
    }
    const Eigen::MatrixXf shifted = features_.colwise() + mean_;
    return {shifted.data(), shifted.data() + shifted.size()};
  }

  ParameterGradient backward(std::span<const float> features) override {
    const Eigen::Map<const Eigen::MatrixXf> outer(features.data(), features_.rows(),
                                                  features_.cols());
    const Eigen::MatrixXf active = (features_.array() > 0.0F).cast<float>();
    const Eigen::MatrixXf before = outer.cwiseProduct(active);
    const Eigen::MatrixXf gradient = before * images_.transpose();
    std::vector<float> all(gradient.data(), gradient.data() + gradient.size());
    const Eigen::VectorXf by_bias = before.rowwise().sum();
    all.insert(all.end(), by_bias.begin(), by_bias.end());
    return {all, {true, true}};
  }

  std::vector<float> backward_to_pixels(std::span<const float> /*features*/) override { return {}; }
  std::string saved(const HeadView& /*head*/) override { return {}; }

 private:
  Eigen::MatrixXf weights_;
  Eigen::VectorXf bias_;
  Eigen::VectorXf mean_;
  Eigen::MatrixXf images_;
  Eigen::MatrixXf features_;
  std::vector<StateTensor> parameters_;
  std::vector<StateTensor> buffers_;
};

}  // namespace assay::test
