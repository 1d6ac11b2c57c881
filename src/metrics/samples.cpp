#include "metrics/samples.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "learn/mixture.h"
#include "learn/pca.h"
#include "learn/standardize.h"
#include "metrics/ill_scaled.h"
#include "metrics/moments_of_samples.h"

namespace assay {

std::vector<Label> present_classes(const std::vector<Label>& labels, std::vector<Index>& counts) {
  const Label largest = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end());
  std::vector<Index> seen(static_cast<std::size_t>(largest) + 1, 0);
  for (const Label label : labels) ++seen[static_cast<std::size_t>(label)];
  std::vector<Label> code(seen.size(), -1);
  counts.clear();
  for (std::size_t c = 0; c < seen.size(); ++c) {
    if (seen[c] == 0) continue;
    code[c] = static_cast<Label>(counts.size());
    counts.push_back(seen[c]);
  }
  std::vector<Label> out;
  out.reserve(labels.size());
  for (const Label label : labels) out.push_back(code[static_cast<std::size_t>(label)]);
  return out;
}

Samples::Samples(ThreadPool& pool, Matrix features, const std::vector<Label>& labels,
                 std::uint64_t seed, bool center)
    : pool_(pool),
      dim_(features.rows()),
      features_(std::move(features)),
      labels_(present_classes(labels, counts_)),
      seed_(seed),
      center_(center) {}

Samples::Samples(ThreadPool& pool, FloatFeatures features, const std::vector<Label>& labels,
                 std::uint64_t seed, bool center)
    : pool_(pool),
      dim_(features.values().rows()),
      floats_(std::move(features)),
      labels_(present_classes(labels, counts_)),
      seed_(seed),
      center_(center) {}

Samples::Samples(ThreadPool& pool, StreamedFeatures features, const std::vector<Label>& labels,
                 std::uint64_t seed, bool center)
    : pool_(pool),
      dim_(features.rows->cols()),
      streamed_(std::move(features)),
      labels_(present_classes(labels, counts_)),
      seed_(seed),
      center_(center) {}

Samples::Samples(ThreadPool& pool, Matrix features, TargetValues targets, std::uint64_t seed,
                 bool center)
    : pool_(pool),
      dim_(features.rows()),
      features_(std::move(features)),
      targets_(std::move(targets)),
      seed_(seed),
      center_(center) {}

Samples::Samples(ThreadPool& pool, FloatFeatures features, TargetValues targets, std::uint64_t seed,
                 bool center)
    : pool_(pool),
      dim_(features.values().rows()),
      floats_(std::move(features)),
      targets_(std::move(targets)),
      seed_(seed),
      center_(center) {}

Index Samples::count() const {
  if (streamed_) return streamed_->rows->rows();
  return floats_ ? floats_->values().cols() : features_.cols();
}

const Moments* Samples::moments() const {
  if (streamed_) return streamed_->moments.get();
  return floats_ ? floats_->moments() : nullptr;
}

bool Samples::holds_floats() const {
  return streamed_ ? !streamed_->rows->is_double() : floats_.has_value();
}

void Samples::copy(std::span<const Index> chosen, float* out) const {
  if (streamed_) {
    streamed_->rows->read(chosen, out);
    return;
  }
  for (const Index i : chosen) {
    Eigen::Map<Eigen::VectorXf> to(out, dim_);
    if (floats_) {
      to = floats_->values().col(i);
    } else {
      to = features_.col(i).cast<float>();
    }
    out += dim_;
  }
}

void Samples::copy(std::span<const Index> chosen, double* out) const {
  if (streamed_) {
    streamed_->rows->read(chosen, out);
    return;
  }
  for (const Index i : chosen) {
    Eigen::Map<Vector> to(out, dim_);
    if (floats_) {
      to = floats_->values().col(i).cast<double>();
    } else {
      to = features_.col(i);
    }
    out += dim_;
  }
}

void Samples::release(Index begin, Index end) const {
  if (streamed_) streamed_->rows->release(begin, end);
}

const Matrix& Samples::features() const {
  assert(!streamed_);
  if (floats_ && features_.size() == 0) features_ = floats_->values().cast<double>();
  return features_;
}

bool Samples::ill_scaled(About about) const {
  const Standardizer standard = streamed_
                                    ? standardizer_of(*moments_of(*this, Precision::float_products))
                                : floats_ ? fit_standardizer(floats_->values())
                                          : fit_standardizer(features_);
  std::vector<double> variances;
  for (const double factor : standard.factor) {
    if (factor > 0.0) variances.push_back(1.0 / (factor * factor));
  }
  if (variances.empty()) return false;
  double size = std::accumulate(variances.begin(), variances.end(), 0.0);
  if (about == About::origin_and_constant && !center_) size += standard.mean.squaredNorm();
  std::nth_element(variances.begin(), variances.begin() + std::ssize(variances) / 2,
                   variances.end());
  const double typical = variances[variances.size() / 2];
  const double least = about == About::means ? typical : std::min(typical, 1.0);
  return loses_digits(size, least, count(), dim());
}

const RowSpace& Samples::row_space() const {
  if (!row_space_) {
    row_space_ =
        center_ ? assay::row_space(pool_, features().colwise() - features().rowwise().mean(), false)
                : assay::row_space(pool_, features(), false);
  }
  return *row_space_;
}

const Matrix& Samples::principal_components() const {
  if (!principal_components_)
    principal_components_ = fit_pca(pool_, features(), 1.0).project(features());
  return *principal_components_;
}

const LogisticFit& Samples::logistic(double beta) const {
  const auto known = logistic_.find(beta);
  if (known != logistic_.end()) return known->second;
  // A weaker penalty starts from the next stronger one: it is nearer than zero.
  const auto after = logistic_.lower_bound(beta);
  const LogisticFit* start = after == logistic_.begin() ? nullptr : &std::prev(after)->second;
  LogisticOptions options;
  options.beta = beta;
  return logistic_.emplace(beta, logistic_problem().fit(options, start)).first->second;
}

const LogisticProblem& Samples::logistic_problem() const {
  if (!logistic_problem_) logistic_problem_.emplace(pool_, row_space().z, labels_, classes());
  return *logistic_problem_;
}

const std::vector<Matrix>& Samples::mixture_posteriors() const {
  if (!posteriors_.empty()) return posteriors_;
  constexpr double share = 0.8;  // of the variance
  const Matrix reduced = fit_pca(pool_, features(), share).project(features());
  MixtureOptions options;
  options.components = classes();
  options.starts = 3;
  options.seed = seed_;
  for (const Mixture& mixture : fit_mixtures(pool_, reduced, options))
    posteriors_.push_back(posteriors(pool_, mixture, reduced));
  return posteriors_;
}

std::vector<Index> every_sample(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace assay
