#include "assay/learn/adam.h"

#include <cmath>

#include "assay/core/dispatch.h"

namespace assay {
namespace {

template <typename T>
struct Factors {
  T beta1, one_minus_beta1, beta2, one_minus_beta2, rate, root, epsilon;
};

// Not a template: each has to be compiled for several processors under a name of its own.
ASSAY_MULTIVERSION void update(Index count, const float* __restrict gradient,
                               float* __restrict mean, float* __restrict square,
                               float* __restrict parameters, const Factors<float>& factors) {
  const Factors<float> f = factors;
  for (Index i = 0; i < count; ++i) {
    const float g = gradient[i];
    const float m = f.beta1 * mean[i] + f.one_minus_beta1 * g;
    const float v = f.beta2 * square[i] + f.one_minus_beta2 * g * g;
    mean[i] = m;
    square[i] = v;
    parameters[i] -= f.rate * m / (std::sqrt(v) * f.root + f.epsilon);
  }
}

void update(Index count, const double* gradient, double* mean, double* square, double* parameters,
            const Factors<double>& f) {
  for (Index i = 0; i < count; ++i) {
    mean[i] = f.beta1 * mean[i] + f.one_minus_beta1 * gradient[i];
    square[i] = f.beta2 * square[i] + f.one_minus_beta2 * gradient[i] * gradient[i];
    parameters[i] -= f.rate * mean[i] / (std::sqrt(square[i]) * f.root + f.epsilon);
  }
}

}  // namespace

template <typename T>
Adam<T>::Adam(Index parameters, const AdamOptions& options)
    : options_(options),
      mean_(static_cast<std::size_t>(parameters), T{0}),
      square_(static_cast<std::size_t>(parameters), T{0}) {}

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
  update(std::ssize(parameters), gradient.data(), mean_.data(), square_.data(), parameters.data(),
         factors);
}

template class Adam<float>;
template class Adam<double>;

}  // namespace assay
