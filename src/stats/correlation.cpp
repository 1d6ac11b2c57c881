#include "assay/correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "assay/error.h"
#include "assay/types.h"

namespace assay {
namespace {

using Values = std::span<const double>;

int sign_of_difference(double a, double b) {
  return static_cast<int>(a > b) - static_cast<int>(a < b);
}

bool varies(Values values) {
  return std::ranges::any_of(values, [&](double v) { return v != values.front(); });
}

bool has_nan(Values values) {
  return std::ranges::any_of(values, [](double v) { return std::isnan(v); });
}

bool coefficient_exists(Values x, Values y) {
  if (x.size() != y.size()) {
    fail_input(
        fmt::format("correlation: expected two columns of equal length, got {} and {} values",
                    x.size(), y.size()));
  }
  if (x.size() < 2 || has_nan(x) || has_nan(y)) return false;
  return varies(x) && varies(y);
}

// Models identical on both sides may come in any order: they have the same sign
// against every other model and none against each other, so only the set of
// ranks they share matters.
std::vector<double> hyperbolic_weights(Values first, Values second) {
  std::vector<std::size_t> order(first.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return first[a] != first[b] ? first[a] > first[b] : second[a] > second[b];
  });
  std::vector<double> weights(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    weights[order[rank]] = 1.0 / static_cast<double>(rank + 1);
  }
  return weights;
}

// Vigna, WWW 2015, with the additive hyperbolic weights of correlation.h; Kendall's tau-a has
// weights 1.
double tau_with_weights(Values x, Values y, const std::vector<double>& weights) {
  double agreement = 0.0;
  double untied_x = 0.0;
  double untied_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double weight = weights[i] + weights[j];
      const int sign_x = sign_of_difference(x[i], x[j]);
      const int sign_y = sign_of_difference(y[i], y[j]);
      agreement += weight * (sign_x * sign_y);
      untied_x += weight * std::abs(sign_x);
      untied_y += weight * std::abs(sign_y);
    }
  }
  return std::clamp(agreement / std::sqrt(untied_x * untied_y), -1.0, 1.0);
}

// Scaling by powers of two is exact: it keeps squares of huge or tiny values in
// range and cannot make distinct values equal.
std::vector<double> scaled_to_one(Values values) {
  double largest = 0.0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  const int exponent = largest > 0.0 ? std::ilogb(largest) : 0;
  std::vector<double> scaled;
  for (const double v : values) scaled.push_back(std::scalbn(v, -exponent));
  return scaled;
}

std::vector<double> centred(std::vector<double> values) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& v : values) v -= mean;
  return values;
}

// Centred twice: the first mean is rounded, which matters when values differ in
// their last digits only.
std::vector<double> deviations(Values values) {
  return centred(scaled_to_one(centred(scaled_to_one(values))));
}

std::vector<double> average_ranks(Values values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t k = begin; k < end; ++k) {
      ranks[order[k]] = static_cast<double>(begin + end - 1) / 2.0;
    }
    begin = end;
  }
  return ranks;
}

}  // namespace

std::optional<double> kendall_tau(std::span<const double> x, std::span<const double> y) {
  if (!coefficient_exists(x, y)) return std::nullopt;
  Index agreement = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      agreement += Index{sign_of_difference(x[i], x[j])} * sign_of_difference(y[i], y[j]);
    }
  }
  const double models = static_cast<double>(x.size());
  return static_cast<double>(agreement) / (models * (models - 1.0) / 2.0);
}

std::optional<double> weighted_kendall_tau(std::span<const double> x, std::span<const double> y) {
  if (!coefficient_exists(x, y)) return std::nullopt;
  const double ranked_by_x = tau_with_weights(x, y, hyperbolic_weights(x, y));
  const double ranked_by_y = tau_with_weights(x, y, hyperbolic_weights(y, x));
  return (ranked_by_x + ranked_by_y) / 2.0;
}

std::optional<double> pearson(std::span<const double> x, std::span<const double> y) {
  if (!coefficient_exists(x, y)) return std::nullopt;
  const auto is_infinite = [](double v) { return std::isinf(v); };
  if (std::ranges::any_of(x, is_infinite) || std::ranges::any_of(y, is_infinite)) {
    return std::nullopt;
  }
  const std::vector<double> dx = deviations(x);
  const std::vector<double> dy = deviations(y);
  const double xx = std::inner_product(dx.begin(), dx.end(), dx.begin(), 0.0);
  const double yy = std::inner_product(dy.begin(), dy.end(), dy.begin(), 0.0);
  const double xy = std::inner_product(dx.begin(), dx.end(), dy.begin(), 0.0);
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

std::optional<double> spearman(std::span<const double> x, std::span<const double> y) {
  if (!coefficient_exists(x, y)) return std::nullopt;
  return pearson(average_ranks(x), average_ranks(y));
}

}  // namespace assay
