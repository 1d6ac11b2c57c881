#include "predict/class_probabilities.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace assay {
namespace {

constexpr double kTail = 8.5;               // standard deviations beyond which doubles see nothing
constexpr double kNarrowest = 1e-3;         // of the widest column: narrower ones are widened to it
constexpr double kStepsPerDeviation = 2.0;  // of the narrowest: the trapezoid rule is then exact to
                                            // about 1e-10, since all factors are smooth

double log_normal_cdf(double t) {
  const double lower = 0.5 * std::erfc(-t / std::numbers::sqrt2);
  return std::log(std::max(lower, 1e-300));
}

void share_among_largest(const Eigen::Ref<const Vector>& mean, Eigen::Ref<Vector> out) {
  const double most = mean.maxCoeff();
  out = (mean.array() == most).cast<double>();
  out /= out.sum();
}

// The integral over t of column c's density times the others' chances to lie below t.
void chances_of(const Vector& mean, const Vector& variance, Vector& logs, Eigen::Ref<Vector> out) {
  Vector sd = variance.cwiseMax(0.0).cwiseSqrt();
  const double widest = sd.maxCoeff();
  if (!(widest > 0.0)) return share_among_largest(mean, out);
  sd = sd.cwiseMax(kNarrowest * widest);
  const double low = (mean - kTail * sd).maxCoeff();  // below it some column is above for certain
  const double high = (mean + kTail * sd).maxCoeff();
  const double step = sd.minCoeff() / kStepsPerDeviation;
  out.setZero();
  for (double t = low; t <= high; t += step) {
    double sum = 0.0;
    for (Index c = 0; c < mean.size(); ++c) {
      logs(c) = log_normal_cdf((t - mean(c)) / sd(c));
      sum += logs(c);
    }
    for (Index c = 0; c < mean.size(); ++c) {
      const double z = (t - mean(c)) / sd(c);
      out(c) += std::exp(sum - logs(c) - 0.5 * z * z) / sd(c);
    }
  }
  out /= out.sum();
}

}  // namespace

Matrix class_probabilities(ThreadPool& pool, const Prediction& prediction) {
  const Index rows = prediction.mean.rows();
  const Index columns = prediction.mean.cols();
  Matrix out(rows, columns);
  constexpr Index rows_per_task = 64;
  pool.run((rows + rows_per_task - 1) / rows_per_task, [&](Index task) {
    Vector logs(columns);
    Vector found(columns);
    for (Index i = task * rows_per_task; i < std::min(rows, (task + 1) * rows_per_task); ++i) {
      chances_of(prediction.mean.row(i), prediction.variance.row(i), logs, found);
      out.row(i) = found;
    }
  });
  return out;
}

}  // namespace assay
