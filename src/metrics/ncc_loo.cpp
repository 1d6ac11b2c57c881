#include "metrics/ncc_loo.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "learn/standardize.h"
#include "linalg/gram.h"
#include "metrics/held_out.h"
#include "metrics/moments_of_samples.h"
#include "metrics/samples.h"

namespace assay {
namespace {

constexpr Index kTile = 256;           // samples one task classifies
constexpr Index kStripe = 64 * kTile;  // samples after which pages may go back

class NearestMean {
 public:
  template <typename Features>
  NearestMean(const Samples& samples, const Features& features)
      : samples_(samples), standard_(fit_standardizer(features)) {
    means_ = Matrix::Zero(samples.dim(), samples.classes());
    for (Index i = 0; i < samples.count(); ++i) {
      const auto about_mean = features.col(i).template cast<double>() - standard_.mean;
      means_.col(label(i)) += about_mean.cwiseProduct(standard_.factor);
    }
    finish_means();
  }

  // Of samples that are not held.
  NearestMean(const Samples& samples, const Moments& moments)
      : samples_(samples),
        standard_(standardizer_of(moments)),
        means_(standardized_class_sums(moments, standard_)) {
    finish_means();
  }

  std::vector<double> outcomes() const {
    std::vector<double> right(static_cast<std::size_t>(samples_.count()), 0.0);
    for_samples([&](Index i, const Vector& squares) {
      const auto nearest = std::min_element(squares.begin(), squares.end()) - squares.begin();
      right[static_cast<std::size_t>(i)] = nearest == label(i) ? 1.0 : 0.0;
    });
    return right;
  }

  // The mean of n_c samples lies off its class by a variance of W / n_c, which the squared distance
  // to it holds on top; with two labels the own class, one sample left of it, would always seem the
  // farthest. W: the variance within classes, summed over features, without the sample.
  std::vector<double> held_out() const {
    Matrix scores(samples_.classes(), samples_.count());
    for_samples([&](Index i, const Vector& squares) { scores.col(i) = -squares; });
    double within = 0.0;
    for (Index i = 0; i < scores.cols(); ++i) within += own_scatter(scores, i);
    const auto freedom =
        static_cast<double>(std::max<Index>(1, samples_.count() - 1 - samples_.classes()));
    Matrix corrected = scores;
    for (Index i = 0; i < scores.cols(); ++i) {
      const double members = size(label(i));
      // Without it the scatter of its class falls by n_c / (n_c - 1) of its squared distance.
      const double left =
          within - (members > 1.0 ? members / (members - 1.0) : 1.0) * own_scatter(scores, i);
      const double variance = std::max(0.0, left) / freedom;
      for (Index c = 0; c < scores.rows(); ++c)
        corrected(c, i) += variance / (c == label(i) ? members - 1.0 : size(c));
      if (members == 1.0) corrected(label(i), i) = -std::numeric_limits<double>::infinity();
    }
    return softmax_log_likelihood(corrected, samples_.labels());
  }

 private:
  void finish_means() {
    for (Index c = 0; c < means_.cols(); ++c) means_.col(c) /= size(c);
    squares_ = means_.colwise().squaredNorm().transpose();
  }

  Label label(Index i) const { return samples_.labels()[static_cast<std::size_t>(i)]; }
  double size(Index c) const {
    return static_cast<double>(samples_.counts()[static_cast<std::size_t>(c)]);
  }

  // Of every sample, seen(i, squared distances to the class means), its own class's without it.
  template <typename Seen>
  void for_samples(const Seen& seen) const {
    const std::vector<Index> all = every_sample(samples_.count());
    for (Index first = 0; first < samples_.count(); first += kStripe) {
      const auto stripe = std::span<const Index>(all).subspan(
          static_cast<std::size_t>(first),
          static_cast<std::size_t>(std::min(kStripe, samples_.count() - first)));
      for_stripe(stripe, seen);
      samples_.release(first, first + std::ssize(stripe));
    }
  }

  template <typename Seen>
  void for_stripe(std::span<const Index> stripe, const Seen& seen) const {
    const Index n = std::ssize(stripe);
    samples_.pool().run((n + kTile - 1) / kTile, [&](Index task) {
      const auto tile = stripe.subspan(static_cast<std::size_t>(task * kTile),
                                       static_cast<std::size_t>(std::min(kTile, n - task * kTile)));
      const Index first = tile.front();
      const Index count = std::ssize(tile);
      Matrix z(samples_.dim(), count);
      samples_.copy(tile, z.data());
      z.colwise() -= standard_.mean;
      z = standard_.factor.asDiagonal() * z;
      const Matrix products = product(means_, true, z, false);  // C x count
      for (Index i = 0; i < count; ++i) {
        Vector squares = (squares_ - 2.0 * products.col(i)).array() + z.col(i).squaredNorm();
        squares = squares.cwiseMax(0.0);
        const Label own = label(first + i);
        const double away = size(own) / (size(own) - 1.0);
        squares[own] =
            size(own) == 1.0 ? std::numeric_limits<double>::infinity() : away * away * squares[own];
        seen(first + i, squares);
      }
    });
  }

  // Squared distance of a sample to the mean of its class with it; 0 for the only one of a class.
  double own_scatter(const Matrix& scores, Index i) const {
    const double members = size(label(i));
    if (members == 1.0) return 0.0;
    const double toward = (members - 1.0) / members;
    return -scores(label(i), i) * toward * toward;
  }

  const Samples& samples_;
  Standardizer standard_;
  Matrix means_;    // D x C
  Vector squares_;  // of their lengths
};

Score score_of(const Samples& samples, const NearestMean& means) {
  Score score;
  score.per_sample = means.outcomes();
  score.value = std::accumulate(score.per_sample.begin(), score.per_sample.end(), 0.0) /
                static_cast<double>(samples.count());
  // A score for every sample and class is not for samples that are not held themselves.
  const bool held = samples.streamed() == nullptr;
  if (held && wants_held_out(samples.count(), samples.classes())) score.held_out = means.held_out();
  return score;
}

NearestMean means_of(const Samples& samples) {
  if (samples.streamed() != nullptr)
    return {samples, *moments_of(samples, Precision::float_products)};
  return samples.floats() != nullptr ? NearestMean(samples, *samples.floats())
                                     : NearestMean(samples, samples.features());
}

}  // namespace

// Leave-one-out by the identity of ncc_loo.h: the mean of the own class moves away by n_c / (n_c -
// 1).
Score ncc_loo(const Samples& samples) {
  Score score = score_of(samples, means_of(samples));
  if (few_labels(samples.count(), samples.classes())) score.flags.emplace_back("few_per_class");
  return score;
}

Index ncc_loo_memory(const SampleSize& size) {
  const Index tile = kTile * (3 * size.dim + 2 * size.columns);
  return Index{sizeof(double)} * (size.dim * (2 * size.dim + 4 * size.columns) +
                                  size.threads * tile + kNumbersPerSample * size.rows);
}

}  // namespace assay
