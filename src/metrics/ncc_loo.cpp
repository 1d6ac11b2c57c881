#include "metrics/ncc_loo.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "learn/standardize.h"
#include "linalg/gram.h"
#include "metrics/samples.h"

namespace assay {
namespace {

constexpr Index kTile = 256;  // samples one task classifies

template <typename Features>
class NearestMean {
 public:
  NearestMean(const Samples& samples, const Features& features)
      : samples_(samples), features_(features), standard_(fit_standardizer(features)) {
    means_ = Matrix::Zero(samples.dim(), samples.classes());
    for (Index i = 0; i < samples.count(); ++i) {
      const auto about_mean = features.col(i).template cast<double>() - standard_.mean;
      means_.col(label(i)) += about_mean.cwiseProduct(standard_.factor);
    }
    for (Index c = 0; c < means_.cols(); ++c) means_.col(c) /= size(c);
    squares_ = means_.colwise().squaredNorm().transpose();
  }

  std::vector<double> outcomes() const {
    const Index n = samples_.count();
    std::vector<double> right(static_cast<std::size_t>(n), 0.0);
    samples_.pool().run((n + kTile - 1) / kTile, [&](Index task) {
      const Index first = task * kTile;
      const Index count = std::min(kTile, n - first);
      Matrix z = features_.middleCols(first, count).template cast<double>();
      z.colwise() -= standard_.mean;
      z = standard_.factor.asDiagonal() * z;
      const Matrix products = product(means_, true, z, false);  // C x count
      for (Index i = 0; i < count; ++i) {
        const Label own = label(first + i);
        const Label nearest = nearest_mean(products.col(i), z.col(i).squaredNorm(), own);
        right[static_cast<std::size_t>(first + i)] = nearest == own ? 1.0 : 0.0;
      }
    });
    return right;
  }

 private:
  Label label(Index i) const { return samples_.labels()[static_cast<std::size_t>(i)]; }
  double size(Index c) const {
    return static_cast<double>(samples_.counts()[static_cast<std::size_t>(c)]);
  }

  template <typename Column>
  Label nearest_mean(const Column& products, double square, Label own) const {
    Label nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < products.size(); ++c) {
      double distance = std::max(0.0, square - 2.0 * products[c] + squares_[c]);
      if (c == own) {
        if (size(c) == 1.0) continue;
        const double away = size(c) / (size(c) - 1.0);
        distance *= away * away;
      }
      if (distance < least) {
        least = distance;
        nearest = static_cast<Label>(c);
      }
    }
    return nearest;
  }

  const Samples& samples_;
  const Features& features_;
  Standardizer standard_;
  Matrix means_;    // D x C
  Vector squares_;  // of their lengths
};

}  // namespace

// Leave-one-out by the identity of ncc_loo.h: the mean of the own class moves away by n_c / (n_c -
// 1).
Score ncc_loo(const Samples& samples) {
  Score score;
  score.per_sample = samples.floats() != nullptr
                         ? NearestMean(samples, *samples.floats()).outcomes()
                         : NearestMean(samples, samples.features()).outcomes();
  score.value = std::accumulate(score.per_sample.begin(), score.per_sample.end(), 0.0) /
                static_cast<double>(samples.count());
  constexpr Index few = 5;
  if (samples.count() < few * samples.classes()) score.flags.emplace_back("few_per_class");
  return score;
}

}  // namespace assay
