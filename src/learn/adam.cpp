#include "learn/adam.h"

#include <cmath>

#include "core/dispatch.h"

namespace assay {
namespace {

template <typename T>
struct Factors {
  T beta1, one_minus_beta1, beta2, one_minus_beta2, rate, root, epsilon;
};

template <typename T>
void update(Index count, const T* __restrict gradient, T* __restrict mean, T* __restrict square,
            T* __restrict parameters, const Factors<T>& factors) {
  const Factors<T> f = factors;
  for (Index i = 0; i < count; ++i) {
    const T g = gradient[i];
    const T m = f.beta1 * mean[i] + f.one_minus_beta1 * g;
    const T v = f.beta2 * square[i] + f.one_minus_beta2 * g * g;
    mean[i] = m;
    square[i] = v;
    parameters[i] -= f.rate * m / (std::sqrt(v) * f.root + f.epsilon);
  }
}

}  // namespace

template <typename T>
Adam<T>::Adam(Index parameters, const AdamOptions& options)
    : options_(options),
      mean_(static_cast<std::size_t>(parameters), T{0}),
      square_(static_cast<std::size_t>(parameters), T{0}) {}

// Kingma and Ba, ICLR 2015, Algorithm 1, with PyTorch's place for epsilon (adam.h).
template <typename T>
void Adam<T>::step(std::span<T> parameters, std::span<const T> gradient) {
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const Factors<T> factors{static_cast<T>(options_.beta1),
                           static_cast<T>(1.0 - options_.beta1),
                           static_cast<T>(options_.beta2),
                           static_cast<T>(1.0 - options_.beta2),
                           static_cast<T>(options_.rate / (1.0 - std::pow(options_.beta1, t))),
                           static_cast<T>(1.0 / std::sqrt(1.0 - std::pow(options_.beta2, t))),
                           static_cast<T>(options_.epsilon)};
  for_this_processor<update<T>>(std::ssize(parameters), gradient.data(), mean_.data(),
                                square_.data(), parameters.data(), factors);
}

template class Adam<float>;
template class Adam<double>;

}  // namespace assay
