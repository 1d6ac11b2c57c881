#include "metrics/ncc_loo.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "learn/standardize.h"
#include "linalg/gram.h"
#include "metrics/held_out.h"
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
  Label label(Index i) const { return samples_.labels()[static_cast<std::size_t>(i)]; }
  double size(Index c) const {
    return static_cast<double>(samples_.counts()[static_cast<std::size_t>(c)]);
  }

  // Of every sample, seen(i, squared distances to the class means), its own class's without it.
  template <typename Seen>
  void for_samples(const Seen& seen) const {
    const Index n = samples_.count();
    samples_.pool().run((n + kTile - 1) / kTile, [&](Index task) {
      const Index first = task * kTile;
      const Index count = std::min(kTile, n - first);
      Matrix z = features_.middleCols(first, count).template cast<double>();
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
  const Features& features_;
  Standardizer standard_;
  Matrix means_;    // D x C
  Vector squares_;  // of their lengths
};

template <typename Features>
Score score_of(const Samples& samples, const Features& features) {
  const NearestMean means(samples, features);
  Score score;
  score.per_sample = means.outcomes();
  score.value = std::accumulate(score.per_sample.begin(), score.per_sample.end(), 0.0) /
                static_cast<double>(samples.count());
  if (wants_held_out(samples.count(), samples.classes())) score.held_out = means.held_out();
  return score;
}

}  // namespace

// Leave-one-out by the identity of ncc_loo.h: the mean of the own class moves away by n_c / (n_c -
// 1).
Score ncc_loo(const Samples& samples) {
  Score score = samples.floats() != nullptr ? score_of(samples, *samples.floats())
                                            : score_of(samples, samples.features());
  if (few_labels(samples.count(), samples.classes())) score.flags.emplace_back("few_per_class");
  return score;
}

}  // namespace assay
