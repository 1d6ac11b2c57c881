#include "metrics/moments_of_samples.h"

#include <cassert>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "assay/targets.h"

namespace assay {

std::shared_ptr<const Moments> moments_of(const Samples& samples, Precision least) {
  assert(samples.streamed() != nullptr);
  const std::shared_ptr<const Moments>& known = samples.streamed()->moments;
  const bool exact = least == Precision::double_products;
  if (known && known->columns() == samples.classes() && (!exact || known->product_rounding == 0.0))
    return known;
  Targets targets;
  targets.labels = samples.labels();
  targets.names.resize(static_cast<std::size_t>(samples.classes()));
  const std::vector<Index> one_bucket(static_cast<std::size_t>(samples.count()), 0);
  PassSettings settings;
  settings.precision = exact ? least : suitable_precision(*samples.streamed()->rows);
  settings.fourth = false;
  MomentsPass pass = accumulate_moments(samples.pool(), *samples.streamed()->rows, targets,
                                        one_bucket, 1, settings);
  return std::make_shared<const Moments>(std::move(pass.buckets.front()));
}

Standardizer standardizer_of(const Moments& moments) {
  const auto n = static_cast<double>(moments.count);
  Standardizer out{(moments.sum / n + moments.shift) / moments.scale, Vector::Zero(moments.dim())};
  for (Index j = 0; j < moments.dim(); ++j) {
    const double mean = moments.sum[j] / n;
    const double variance = moments.gram(j, j) / n - mean * mean;
    const double deviation = std::sqrt(std::max(variance, 0.0)) / moments.scale;
    // Rounding of a constant is not variation: of its size, or of sums about a shift beside it.
    const double rounding = 1e-13 * std::abs(out.mean[j]) + 1e-7 * std::abs(mean) / moments.scale;
    if (deviation > rounding) out.factor[j] = 1.0 / deviation;
  }
  return out;
}

Matrix standardized_class_sums(const Moments& moments, const Standardizer& standard) {
  const auto n = static_cast<double>(moments.count);
  Matrix sums = moments.cross;
  sums.noalias() -= moments.sum * moments.target_sum.transpose() / n;
  return (standard.factor / moments.scale).asDiagonal() * sums;
}

}  // namespace assay
