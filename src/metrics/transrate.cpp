#include "metrics/transrate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/random.h"
#include "linalg/cholesky.h"
#include "linalg/gram.h"
#include "linalg/tridiagonal.h"
#include "metrics/moments_of_samples.h"
#include "metrics/samples.h"
#include "metrics/scattered_bytes.h"

namespace assay {
namespace {

constexpr double kDistortion = 1e-4;
// Large features round off more than the identity adds: a factor would not exist, or be wrong.
constexpr double kMostRounding = 1e-6;

// log det(I + S) by the eigenvalues of S, those that are only rounding left out.
double log_det_of_large(Matrix lower, Index largest_side) {
  const Vector s = tridiagonalize(std::move(lower)).eigenvalues;
  const double cut =
      s.tail(1)[0] * static_cast<double>(largest_side) * std::numeric_limits<double>::epsilon();
  double sum = 0.0;
  for (const double value : s) {
    if (value > cut) sum += std::log1p(value);
  }
  return sum;
}

// 1/2 log det(I + S / (n eps)) for S = X'X or X X' (lower triangle) of n samples of D dimensions.
double coding_rate(Matrix gram, Index dim, Index n) {
  gram *= 1.0 / (kDistortion * static_cast<double>(n));
  if (gram.trace() * std::numeric_limits<double>::epsilon() > kMostRounding)
    return 0.5 * log_det_of_large(std::move(gram), std::max(dim, n));
  gram.diagonal().array() += 1.0;
  return 0.5 * log_determinant(std::move(gram));
}

double coding_rate_of_all(ThreadPool& pool, const Matrix& x) {  // samples in the columns
  const bool dual = x.cols() < x.rows();
  const Matrix transposed = dual ? Matrix(x.transpose()) : Matrix();
  Matrix gram = Matrix::Zero(std::min(x.rows(), x.cols()), std::min(x.rows(), x.cols()));
  const GramUpdate<double> update{dual ? transposed.data() : x.data(), dual ? x.rows() : x.cols(),
                                  &gram};
  add_to_grams(pool, std::span<const GramUpdate<double>>(&update, 1));
  return coding_rate(std::move(gram), x.rows(), x.cols());
}

// Of a class, on the calling thread alone.
double coding_rate_of_class(const Matrix& x) {
  return coding_rate(inner_products(x, x.cols() < x.rows()), x.rows(), x.cols());
}

// What errors of the products change, as a share of the rate: more than this asks for double.
constexpr double kAllowedError = 5e-7;
constexpr Index kProbes = 8;

// The rate of all samples from moments that a pass over them has left; nothing where float
// products would be too coarse. Random errors of size N_i N_j in entries of X'X change the rate by
// 1/2 tr(A^-1 E) / (n eps), A = I + X'X / (n eps), of standard deviation
// |N A^-1 N|_F / (sqrt(2) n eps); the norm comes from random signs.
std::optional<double> rate_of_moments(const Moments& moments) {
  if (moments.scale != 1.0) return std::nullopt;
  const double per_unit = 1.0 / (kDistortion * static_cast<double>(moments.count));
  const Vector noise = (moments.gram.diagonal() * moments.product_rounding * per_unit).cwiseSqrt();
  Matrix a = second_moments(moments, true).gram;
  a *= per_unit;
  if (a.trace() * std::numeric_limits<double>::epsilon() > kMostRounding) return std::nullopt;
  a.diagonal().array() += 1.0;
  const std::optional<Matrix> factor = cholesky(std::move(a));
  if (!factor) return std::nullopt;
  const double rate = factor->diagonal().array().log().sum();
  Random random(1);
  Matrix probes(factor->rows(), kProbes);
  for (double& sign : probes.reshaped()) sign = random.uniform() < 0.5 ? -1.0 : 1.0;
  const Matrix solved =
      noise.asDiagonal() *
      solve_lower_transposed(*factor, solve_lower(*factor, Matrix(noise.asDiagonal() * probes)));
  const double deviation = std::sqrt(solved.squaredNorm() / (2.0 * static_cast<double>(kProbes)));
  if (deviation > kAllowedError * std::max(1.0, rate)) return std::nullopt;
  return rate;
}

// Some of the samples in double, about the mean of all.
template <typename M>
Matrix centered(const M& features, const Vector& mean, const std::vector<Index>& chosen) {
  Matrix out(features.rows(), static_cast<Index>(chosen.size()));
  for (Index k = 0; k < out.cols(); ++k) {
    out.col(k) = features.col(chosen[static_cast<std::size_t>(k)]).template cast<double>() - mean;
  }
  return out;
}

template <typename M>
Vector mean_of(const M& features) {
  Vector sum = Vector::Zero(features.rows());
  for (Index i = 0; i < features.cols(); ++i) sum += features.col(i).template cast<double>();
  return sum / static_cast<double>(features.cols());
}

std::vector<std::vector<Index>> samples_of_classes(const Samples& samples) {
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(samples.classes()));
  for (const Index i : every_sample(samples.count()))
    rows[static_cast<std::size_t>(samples.labels()[static_cast<std::size_t>(i)])].push_back(i);
  return rows;
}

// The part of a class in the sum.
double weighted(double rate, const std::vector<Index>& own, const Samples& samples) {
  return rate * static_cast<double>(own.size()) / static_cast<double>(samples.count());
}

template <typename M>
Score transrate_of(const Samples& samples, const M& features) {
  const Vector mean = mean_of(features);
  std::vector<Index> all(static_cast<std::size_t>(samples.count()));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<std::vector<Index>> rows = samples_of_classes(samples);
  std::vector<double> within(rows.size());
  samples.pool().run(samples.classes(), [&](Index c) {
    const std::vector<Index>& own = rows[static_cast<std::size_t>(c)];
    within[static_cast<std::size_t>(c)] =
        weighted(coding_rate_of_class(centered(features, mean, own)), own, samples);
  });
  std::optional<double> rate;
  if (samples.moments() != nullptr) rate = rate_of_moments(*samples.moments());
  Score score;
  score.value = rate ? *rate : coding_rate_of_all(samples.pool(), centered(features, mean, all));
  for (const double part : within) score.value -= part;
  if (samples.ill_scaled(Samples::About::means)) score.flags.emplace_back("ill_scaled");
  return score;
}

// The same of samples that are not held: moments give the rate of all, and classes are read one
// after another.
class StreamedRate {
 public:
  explicit StreamedRate(const Samples& samples)
      : samples_(samples),
        moments_(moments_of(samples, Precision::float_products)),
        mean_((moments_->sum / static_cast<double>(moments_->count) + moments_->shift) /
              moments_->scale) {}

  double value() const {
    const std::vector<std::vector<Index>> classes = samples_of_classes(samples_);
    double sum = of_all();
    std::vector<Index> batch;  // classes whose rows are read before pages go back
    Index rows = 0;
    for (Index c = 0; c <= samples_.classes(); ++c) {
      const Index more =
          c < samples_.classes() ? std::ssize(classes[static_cast<std::size_t>(c)]) : kBatch;
      if (!batch.empty() && rows + more > kBatch) {
        sum -= of_batch(classes, batch);
        batch.clear();
        rows = 0;
      }
      if (c == samples_.classes()) break;
      if (more > std::min(kBatch, samples_.dim())) {
        sum -= of_large(classes[static_cast<std::size_t>(c)]);
      } else {
        batch.push_back(c);
        rows += more;
      }
    }
    return sum;
  }

  static constexpr Index kBatch = 2048;  // samples of small classes that are read together

 private:
  static constexpr Index kChunk = 1024;

  double of_all() const {
    if (const std::optional<double> rate = rate_of_moments(*moments_)) return *rate;
    const std::shared_ptr<const Moments> exact = moments_of(samples_, Precision::double_products);
    return coding_rate(second_moments(*exact, true).gram / (exact->scale * exact->scale),
                       samples_.dim(), samples_.count());
  }

  double of_batch(const std::vector<std::vector<Index>>& classes,
                  const std::vector<Index>& batch) const {
    std::vector<double> parts(batch.size());
    samples_.pool().run(std::ssize(batch), [&](Index i) {
      const std::vector<Index>& own =
          classes[static_cast<std::size_t>(batch[static_cast<std::size_t>(i)])];
      parts[static_cast<std::size_t>(i)] =
          weighted(coding_rate_of_class(centered_chunk(own)), own, samples_);
    });
    samples_.release(0, samples_.count());
    return std::accumulate(parts.begin(), parts.end(), 0.0);
  }

  // A class whose moments are smaller than its samples: D x D of them, summed by all threads.
  double of_large(const std::vector<Index>& own) const {
    Matrix gram = Matrix::Zero(samples_.dim(), samples_.dim());
    for (std::size_t first = 0; first < own.size(); first += kChunk) {
      const auto chunk = std::span<const Index>(own).subspan(
          first, std::min<std::size_t>(kChunk, own.size() - first));
      const Matrix x = centered_chunk(chunk);
      const GramUpdate<double> update{x.data(), x.cols(), &gram};
      add_to_grams(samples_.pool(), std::span<const GramUpdate<double>>(&update, 1));
      samples_.release(chunk.front(), chunk.back() + 1);
    }
    return weighted(coding_rate(std::move(gram), samples_.dim(), std::ssize(own)), own, samples_);
  }

  Matrix centered_chunk(std::span<const Index> chosen) const {
    Matrix out(samples_.dim(), std::ssize(chosen));
    samples_.copy(chosen, out.data());
    out.colwise() -= mean_;
    return out;
  }

  const Samples& samples_;
  std::shared_ptr<const Moments> moments_;
  Vector mean_;
};

Score transrate_of_streamed(const Samples& samples) {
  Score score;
  score.value = StreamedRate(samples).value();
  if (samples.ill_scaled(Samples::About::means)) score.flags.emplace_back("ill_scaled");
  return score;
}

}  // namespace

// Huang et al., ICML 2022: R(F) - sum_c n_c / n R(F_c) with R(X) = 1/2 log det(I + X'X / (n_X
// eps)).
Score transrate(const Samples& samples) {
  if (samples.streamed() != nullptr) return transrate_of_streamed(samples);
  const FloatView* floats = samples.floats();
  return floats != nullptr ? transrate_of(samples, *floats)
                           : transrate_of(samples, samples.features());
}

Index transrate_memory(const SampleSize& size) {
  // The gram matrix of a class and its copies on every thread, never larger than D x D, and a batch
  // of classes as it lies in the file.
  return Index{sizeof(double)} *
             (size.dim * ((3 + 3 * size.threads) * size.dim + 2 * size.columns) +
              kNumbersPerSample * size.rows) +
         scattered_bytes(size, StreamedRate::kBatch);
}

}  // namespace assay
