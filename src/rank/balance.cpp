#include "rank/balance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace assay {
namespace {

constexpr std::size_t kFewestModels = 4;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double median_deviation(std::span<const double> values) {
  const double middle = median({values.begin(), values.end()});
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return median(std::move(distances));
}

}  // namespace

// PACTran, appendix B.5 (Ding et al., ECCV 2022); decision 0012 says what follows from it.
std::optional<double> balance_of(std::span<const double> first, std::span<const double> second) {
  if (first.size() < kFewestModels) return {};
  const double one = median_deviation(first);
  const double other = median_deviation(second);
  if (other > 0.0) return one / other;
  if (one > 0.0) return std::numeric_limits<double>::infinity();
  return {};
}

bool is_balanced(double ratio) {
  const double limit = std::sqrt(10.0);
  return ratio <= limit && ratio >= 1.0 / limit;
}

}  // namespace assay
