#include "tune/mix_parameters.h"

#include <cassert>
#include <cmath>

namespace assay {

MixedParameters::MixedParameters(const std::vector<StateTensor>& tensors, Index sources)
    : sources_(sources) {
  begins_.push_back(0);
  for (const StateTensor& tensor : tensors) begins_.push_back(begins_.back() + tensor.size);
  network_size_ = begins_.back();
}

MixedParameters::Range MixedParameters::tensor(Index network, Index tensor) const {
  const auto l = static_cast<std::size_t>(tensor);
  return {network * network_size_ + begins_[l], network * network_size_ + begins_[l + 1]};
}

std::vector<float> MixedParameters::start(std::span<const std::vector<float>> networks,
                                          double first_weight) const {
  assert(static_cast<Index>(networks.size()) == sources_);
  std::vector<float> out;
  for (const std::vector<float>& network : networks) {
    assert(static_cast<Index>(network.size()) == network_size_);
    out.insert(out.end(), network.begin(), network.end());
  }
  if (sources_ == 1) return out;
  const double others = (1.0 - first_weight) / static_cast<double>(sources_ - 1);
  const auto first = static_cast<float>(std::log(first_weight / others));
  for (Index l = 0; l < tensors(); ++l) {
    out.push_back(first);
    out.insert(out.end(), static_cast<std::size_t>(sources_ - 1), 0.0F);
  }
  return out;
}

Vector MixedParameters::weights(std::span<const float> parameters, Index tensor) const {
  const Vector logits = Eigen::Map<const Eigen::VectorXf>(
                            parameters.data() + logits_begin() + tensor * sources_, sources_)
                            .cast<double>();
  const Vector powers = (logits.array() - logits.maxCoeff()).exp();
  return powers / powers.sum();
}

std::vector<float> MixedParameters::network(std::span<const float> parameters) const {
  const float* from = parameters.data();
  if (sources_ == 1) return {from, from + network_size_};
  std::vector<float> out(static_cast<std::size_t>(network_size_));
  for (Index l = 0; l < tensors(); ++l) {
    const Vector mix = weights(parameters, l);
    const Range own = tensor(0, l);
    for (Index i = own.begin; i < own.end; ++i) {
      double sum = 0.0;
      for (Index k = 0; k < sources_; ++k) sum += mix(k) * from[k * network_size_ + i];
      out[static_cast<std::size_t>(i)] = static_cast<float>(sum);
    }
  }
  return out;
}

// dL/dtheta_kl = w_lk g_l, and by the softmax's Jacobian
// dL/da_lk = w_lk (<g_l, theta_kl> - sum_j w_lj <g_l, theta_jl>).
std::vector<float> MixedParameters::gradient(std::span<const float> parameters,
                                             std::span<const float> network_gradient) const {
  if (sources_ == 1) return {network_gradient.begin(), network_gradient.end()};
  std::vector<float> out(static_cast<std::size_t>(size()));
  for (Index l = 0; l < tensors(); ++l) {
    const Vector mix = weights(parameters, l);
    const Range own = tensor(0, l);
    Vector along = Vector::Zero(sources_);
    for (Index k = 0; k < sources_; ++k) {
      for (Index i = own.begin; i < own.end; ++i) {
        const auto at = static_cast<std::size_t>(k * network_size_ + i);
        const double g = network_gradient[static_cast<std::size_t>(i)];
        along(k) += g * parameters[at];
        out[at] = static_cast<float>(mix(k) * g);
      }
    }
    const double mean = mix.dot(along);
    for (Index k = 0; k < sources_; ++k) {
      out[static_cast<std::size_t>(logits_begin() + l * sources_ + k)] =
          static_cast<float>(mix(k) * (along(k) - mean));
    }
  }
  return out;
}

}  // namespace assay
