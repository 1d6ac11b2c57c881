#include "learn/mlp.h"

#include <algorithm>
#include <cmath>

#include "core/dispatch.h"
#include "core/random.h"
#include "linalg/gemm.h"

namespace assay {
namespace {

// z = max(0, z + b), one column per sample.
template <typename T>
void add_and_rectify(T* z, const T* b, Index rows, Index cols) {
  for (Index j = 0; j < cols; ++j, z += rows) {
    for (Index i = 0; i < rows; ++i) {
      const T value = z[i] + b[i];
      z[i] = value > T{0} ? value : T{0};
    }
  }
}

// Errors pass where the unit was active.
template <typename T>
void mask(T* error, const T* value, Index count) {
  for (Index i = 0; i < count; ++i) error[i] = value[i] > T{0} ? error[i] : T{0};
}

template <typename T>
void sum_columns(const T* error, Index rows, Index cols, T* out) {
  std::fill(out, out + rows, T{0});
  for (Index j = 0; j < cols; ++j, error += rows) {
    for (Index i = 0; i < rows; ++i) out[i] += error[i];
  }
}

// Logits become (p - onehot) / n; returns the sum of -log p of the labels.
template <typename Block>
double softmax_errors(const Block& logits, std::span<const Label> labels, Block& errors) {
  using T = typename Block::Scalar;
  const T share = T{1} / static_cast<T>(logits.cols());
  errors.resize(logits.rows(), logits.cols());
  double loss = 0.0;
  for (Index i = 0; i < logits.cols(); ++i) {
    const Label own = labels[static_cast<std::size_t>(i)];
    const T largest = logits.col(i).maxCoeff();
    errors.col(i) = (logits.col(i).array() - largest).exp();
    const T sum = errors.col(i).sum();
    loss += std::log(static_cast<double>(sum)) - static_cast<double>(logits(own, i) - largest);
    errors.col(i) *= share / sum;
    errors(own, i) -= share;
  }
  return loss;
}

}  // namespace

template <typename T>
Mlp<T>::Mlp(std::vector<Index> widths) : widths_(std::move(widths)) {
  std::size_t size = 0;
  for (Index layer = 0; layer < layers(); ++layer) {
    offsets_.push_back(size);
    size += static_cast<std::size_t>((width(layer) + 1) * width(layer + 1));
  }
  parameters_.assign(size, T{0});
}

template <typename T>
const T* Mlp<T>::intercepts_at(Index layer) const {
  return weights_at(layer) + width(layer) * width(layer + 1);
}

template <typename T>
Eigen::Map<typename Mlp<T>::Block> Mlp<T>::weights(Index layer) {
  return {parameters_.data() + offset(layer), width(layer + 1), width(layer)};
}

template <typename T>
Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>> Mlp<T>::intercepts(Index layer) {
  return {parameters_.data() + offset(layer) + width(layer) * width(layer + 1), width(layer + 1)};
}

template <typename T>
void Mlp<T>::randomize(std::uint64_t seed) {
  Random random(seed);
  for (Index layer = 0; layer < layers(); ++layer) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(width(layer)));
    const Index count = (width(layer) + 1) * width(layer + 1);
    T* const first = parameters_.data() + offset(layer);
    for (Index i = 0; i < count; ++i)
      first[i] = static_cast<T>(bound * (2.0 * random.uniform() - 1.0));
  }
}

template <typename T>
const typename Mlp<T>::Block& Mlp<T>::logits(const Block& samples, Workspace& work) const {
  work.values.resize(static_cast<std::size_t>(layers()));
  const Block* input = &samples;
  const Index count = samples.cols();
  for (Index layer = 0; layer < layers(); ++layer) {
    Block& out = work.values[static_cast<std::size_t>(layer)];
    out.resize(width(layer + 1), count);
    gemm_into(out.data(), width(layer + 1), count, width(layer),
              {weights_at(layer), width(layer + 1)}, {input->data(), width(layer)});
    if (layer + 1 < layers()) {
      for_this_processor<add_and_rectify<T>>(out.data(), intercepts_at(layer), out.rows(), count);
    } else {
      out.colwise() +=
          Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(intercepts_at(layer), out.rows());
    }
    input = &out;
  }
  return work.values.back();
}

// Backpropagation (Rumelhart, Hinton and Williams 1986); the gradient of softmax and cross-entropy
// is p - [y].
template <typename T>
double Mlp<T>::loss_and_gradient(const Block& samples, std::span<const Label> labels,
                                 Workspace& work) const {
  const Index count = samples.cols();
  logits(samples, work);
  work.errors.resize(work.values.size());
  work.gradient.resize(parameters_.size());
  const double loss = softmax_errors(work.values.back(), labels, work.errors.back());
  for (Index layer = layers() - 1; layer >= 0; --layer) {
    const Block& error = work.errors[static_cast<std::size_t>(layer)];
    const T* input =
        layer == 0 ? samples.data() : work.values[static_cast<std::size_t>(layer - 1)].data();
    T* const gradient = work.gradient.data() + offset(layer);
    gemm_into(gradient, width(layer + 1), width(layer), count, {error.data(), width(layer + 1)},
              {input, width(layer), true});
    for_this_processor<sum_columns<T>>(error.data(), width(layer + 1), count,
                                       gradient + width(layer) * width(layer + 1));
    if (layer == 0) break;
    Block& below = work.errors[static_cast<std::size_t>(layer - 1)];
    below.resize(width(layer), count);
    gemm_into(below.data(), width(layer), count, width(layer + 1),
              {weights_at(layer), width(layer + 1), true}, {error.data(), width(layer + 1)});
    for_this_processor<mask<T>>(below.data(), input, below.size());
  }
  return loss / static_cast<double>(count);
}

template class Mlp<float>;
template class Mlp<double>;

}  // namespace assay
