#include "prior/edges.h"

#include <algorithm>
#include <bit>

#include "core/dispatch.h"

namespace assay {
namespace {

constexpr Index kStretch = 1024;  // entries whose probabilities stay in the nearest cache
constexpr Index kLanes = 16;      // sums taken side by side

// exp(-|x|) in float: written by hand because the C library's is not inlined into vector code. 2^t
// with t split at the nearest integer, Taylor's series for the fraction; relative error 2e-7 down
// to 1e-38, where it stays. No comparison of floats: it would keep the loop from being vectorised.
inline __attribute__((always_inline)) float exp_minus_magnitude(float x) {
  const int magnitude = std::bit_cast<int>(x) & 0x7FFFFFFF;
  const float scaled = std::bit_cast<float>(magnitude) * 1.44269504F;
  // Positive floats are ordered as their bits are.
  const int capped = std::min(std::bit_cast<int>(scaled), std::bit_cast<int>(126.0F));
  const float t = -std::bit_cast<float>(capped);
  constexpr float shift = 12582912.0F;  // 1.5 2^23: adding it rounds to an integer
  const float rounded = t + shift;
  const float f = (t - (rounded - shift)) * 0.693147181F;
  const float series =
      1.0F +
      f * (1.0F + f * (0.5F + f * (1.0F / 6.0F + f * (1.0F / 24.0F +
                                                      f * (1.0F / 120.0F + f * (1.0F / 720.0F))))));
  const int exponent = std::bit_cast<int>(rounded) - std::bit_cast<int>(shift);
  return series * std::bit_cast<float>((exponent + 127) << 23);
}

// Lemma 3.5 of Task Priors: an edge has probability s = sigmoid(x / T) and variance s (1 - s).
void edges(const float* __restrict prior, float inverse_temperature, Index count,
           float* __restrict probability, float* __restrict variance) {
  for (Index i = 0; i < count; ++i) {
    const float x = prior[i] * inverse_temperature;
    const float e = exp_minus_magnitude(x);
    const float likelier = 1.0F / (1.0F + e);
    const int negative = std::bit_cast<int>(x) >> 31;  // all ones, or zero
    const int numerator =
        (std::bit_cast<int>(e) & negative) | (std::bit_cast<int>(1.0F) & ~negative);
    probability[i] = std::bit_cast<float>(numerator) * likelier;
    variance[i] = e * likelier * likelier;
  }
}

struct Sums {
  float expectation[kLanes] = {};
  float variance[kLanes] = {};
};

void sum_edges(const float* m, const float* probability, const float* variance, Index count,
               Sums& sums) {
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (Index l = 0; l < kLanes; ++l) {
      sums.expectation[l] += m[i + l] * probability[i + l];
      sums.variance[l] += m[i + l] * m[i + l] * variance[i + l];
    }
  }
  for (Index l = 0; i < count; ++i, ++l) {
    sums.expectation[l] += m[i] * probability[i];
    sums.variance[l] += m[i] * m[i] * variance[i];
  }
}

double total(const float (&lanes)[kLanes]) {
  double sum = 0.0;
  for (const float lane : lanes) sum += static_cast<double>(lane);
  return sum;
}

}  // namespace

void add_edges(const float* prior, double inverse_temperature, std::span<const float* const> models,
               Index count, double* expectation, double* variance) {
  float s[kStretch];
  float w[kStretch];
  for (Index first = 0; first < count; first += kStretch) {
    const Index part = std::min(kStretch, count - first);
    for_this_processor<edges>(prior + first, static_cast<float>(inverse_temperature), part, s, w);
    for (std::size_t model = 0; model < models.size(); ++model) {
      Sums sums;
      for_this_processor<sum_edges>(models[model] + first, s, w, part, sums);
      expectation[model] += total(sums.expectation);
      variance[model] += total(sums.variance);
    }
  }
}

void add_edges(const double* prior, double inverse_temperature,
               std::span<const double* const> models, Index count, double* expectation,
               double* variance) {
  for (Index i = 0; i < count; ++i) {
    const Edge e = edge(prior[i] * inverse_temperature);
    for (std::size_t model = 0; model < models.size(); ++model) {
      const double m = models[model][i];
      expectation[model] += m * e.probability;
      variance[model] += m * m * e.variance;
    }
  }
}

}  // namespace assay
