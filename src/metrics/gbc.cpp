#include "metrics/gbc.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics/held_out.h"

namespace assay {
namespace {

constexpr Index kOverlapComponents = 64;

struct SphericalClasses {
  Matrix means;      // k x C
  Vector variances;  // C
};

// Variances of zero would put an infinite distance between classes: they count as the rounding of
// the features' own, and those of a single sample as the pooled one.
SphericalClasses spherical_classes(const Matrix& z, const Samples& samples) {
  const Index classes = samples.classes();
  SphericalClasses out{Matrix::Zero(z.rows(), classes), Vector::Zero(classes)};
  const auto label = [&](Index i) { return samples.labels()[static_cast<std::size_t>(i)]; };
  const auto count = [&](Index c) {
    return static_cast<double>(samples.counts()[static_cast<std::size_t>(c)]);
  };
  for (Index i = 0; i < z.cols(); ++i) out.means.col(label(i)) += z.col(i);
  for (Index c = 0; c < classes; ++c) out.means.col(c) /= count(c);
  for (Index i = 0; i < z.cols(); ++i)
    out.variances[label(i)] += (z.col(i) - out.means.col(label(i))).squaredNorm();
  const auto terms = static_cast<double>(z.size());
  const double pooled = out.variances.sum() / terms;
  const double least = std::numeric_limits<double>::epsilon() * z.squaredNorm() / terms;
  for (Index c = 0; c < classes; ++c) {
    double& variance = out.variances[c];
    variance = count(c) > 1.0 ? variance / (count(c) * static_cast<double>(z.rows())) : pooled;
    variance = std::max(variance, least);
  }
  return out;
}

// -B of two spherical Gaussians.
double log_coefficient(const SphericalClasses& classes, Index c, Index d) {
  const double mean = 0.5 * (classes.variances[c] + classes.variances[d]);
  const double distance = (classes.means.col(c) - classes.means.col(d)).squaredNorm();
  const double shape =
      std::log(mean) - 0.5 * (std::log(classes.variances[c]) + std::log(classes.variances[d]));
  return -distance / (8.0 * mean) - 0.5 * static_cast<double>(classes.means.rows()) * shape;
}

// log sum_{c != d} exp(-B_cd), both orders, so that it does not vanish where every term does.
double log_overlap(const SphericalClasses& classes) {
  double top = -std::numeric_limits<double>::infinity();
  std::vector<double> logs;
  for (Index c = 0; c < classes.means.cols(); ++c) {
    for (Index d = 0; d < c; ++d) {
      logs.push_back(log_coefficient(classes, c, d));
      top = std::max(top, logs.back());
    }
  }
  double sum = 0.0;
  for (const double one : logs) sum += std::exp(one - top);
  return top + std::log(2.0 * sum);
}

}  // namespace

// Pandy et al., CVPR 2022, Eq. 3 to 5: spherical Gaussians after a principal component analysis.
Score gbc(const Samples& samples) {
  Score score;
  const auto classes = static_cast<double>(samples.classes());
  const Matrix& all = samples.principal_components();
  double log_sum = std::log(classes * (classes - 1.0));  // no variance at all: classes coincide
  if (all.rows() > 0 && samples.classes() > 1)
    log_sum = log_overlap(
        spherical_classes(all.topRows(std::min(kOverlapComponents, all.rows())), samples));
  if (samples.classes() > 1) {
    score.value = -std::exp(log_sum);
    score.details = {{"log_overlap", log_sum - std::log(classes * (classes - 1.0))}};
  }
  if (samples.classes() > 1 && -score.value < std::numeric_limits<double>::min())
    score.flags.emplace_back("underflow");
  if (few_labels(samples.count(), samples.classes())) score.flags.emplace_back("few_per_class");
  if (samples.ill_scaled(Samples::About::means)) score.flags.emplace_back("ill_scaled");
  return score;
}

}  // namespace assay
