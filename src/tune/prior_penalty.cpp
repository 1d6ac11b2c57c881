#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/gram.h"
#include "tune/penalty.h"

namespace assay {
namespace {

// Samples as columns: each of length 1 (zero ones stay zero), then all centred.
struct Normalised {
  Matrix unit;     // D x n
  Matrix centred;  // D x n: Z', M = Z Z'
  Vector lengths;  // n
};

Normalised normalised(const Matrix& samples) {
  Normalised out;
  out.lengths = samples.colwise().norm().transpose();
  out.unit = samples;
  for (Index i = 0; i < samples.cols(); ++i) {
    if (out.lengths(i) > 0.0) out.unit.col(i) /= out.lengths(i);
  }
  out.centred = out.unit.colwise() - out.unit.rowwise().mean();
  return out;
}

Matrix centred_cosine(const Matrix& samples) {
  const Matrix factor = normalised(samples).centred;
  return product(factor, true, factor, false);
}

Matrix prior_kernel(const std::vector<WeightedTeacher>& teachers, std::span<const BatchRow> batch) {
  const auto count = static_cast<Index>(batch.size());
  Matrix kernel = Matrix::Zero(count, count);
  for (const WeightedTeacher& teacher : teachers) {
    kernel += teacher.weight * centred_cosine(teacher.features.read(batch));
  }
  return kernel;
}

class PriorPenalty : public Penalty {
 public:
  PriorPenalty(std::vector<WeightedTeacher> teachers, double temperature)
      : teachers_(std::move(teachers)), temperature_(temperature) {}

  PenaltyGradient at(const Matrix& features, std::span<const BatchRow> batch,
                     std::span<const float> /*own*/) const override {
    const Matrix edges =
        (1.0 + (-prior_kernel(teachers_, batch).array() / temperature_).exp()).inverse().matrix();
    const Normalised model = normalised(features);
    const Matrix kernel = product(model.centred, true, model.centred, false);
    const Matrix noise = (edges.array() * (1.0 - edges.array())).matrix();
    const double mean = kernel.cwiseProduct(edges).sum();
    const double variance = kernel.cwiseProduct(kernel).cwiseProduct(noise).sum();
    // A batch of equal features has no spread, and no direction to lower it in.
    const double sd = std::sqrt(std::max(variance, std::numeric_limits<double>::min()));
    const double pairs =
        static_cast<double>(features.cols()) * static_cast<double>(features.cols());
    const Matrix by_kernel = (kernel.cwiseProduct(noise) / sd - edges) / pairs;
    return {(std::sqrt(variance) - mean) / pairs, through_kernel(model, by_kernel), {}};
  }

 private:
  // M = Z Z' with Z' = centred(unit(F)): dZ' = 2 Z' G, then the two steps backwards.
  static Matrix through_kernel(const Normalised& model, const Matrix& by_kernel) {
    Matrix gradient = 2.0 * product(model.centred, false, by_kernel, false);
    gradient.colwise() -= Vector(gradient.rowwise().mean());
    for (Index i = 0; i < gradient.cols(); ++i) {
      if (model.lengths(i) == 0.0) {
        gradient.col(i).setZero();
        continue;
      }
      const double along = gradient.col(i).dot(model.unit.col(i));
      gradient.col(i) = (gradient.col(i) - along * model.unit.col(i)) / model.lengths(i);
    }
    return gradient;
  }

  std::vector<WeightedTeacher> teachers_;
  double temperature_;
};

}  // namespace

std::unique_ptr<Penalty> prior_penalty(std::vector<WeightedTeacher> teachers, double temperature) {
  return std::make_unique<PriorPenalty>(std::move(teachers), temperature);
}

double prior_temperature(const std::vector<WeightedTeacher>& teachers,
                         const std::vector<Index>& rows) {
  std::vector<BatchRow> batch;
  for (const Index row : rows) batch.push_back({row, 0});
  const Matrix kernel = prior_kernel(teachers, batch);
  std::vector<double> entries;
  for (Index j = 0; j < kernel.cols(); ++j)
    for (Index i = 0; i < j; ++i) entries.push_back(std::abs(kernel(i, j)));
  if (entries.empty()) return 1.0;
  const auto middle = entries.begin() + static_cast<Index>(entries.size() / 2);
  std::nth_element(entries.begin(), middle, entries.end());
  return *middle > 0.0 ? *middle : 1.0;
}

}  // namespace assay
