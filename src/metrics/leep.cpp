#include "metrics/leep.h"

#include <cmath>

#include "metrics/probabilities.h"

namespace assay {

namespace {

double soft_likelihood(const Probabilities& source, const Matrix& given) {
  const Matrix likelihood = source.p * given.transpose();  // n x K
  double sum = 0.0;
  for (Index y = 0; y < likelihood.cols(); ++y) {
    for (Index i = 0; i < likelihood.rows(); ++i)
      if (source.soft(i, y) > 0.0) sum += source.soft(i, y) * std::log(likelihood(i, y));
  }
  return sum / static_cast<double>(source.count());
}

}  // namespace

// Nguyen et al., ICML 2020: 1/n sum_i log sum_z p(y_i | z) P_iz with p(y, z) = 1/n sum_i P_iz [y_i
// = y].
Score leep(const Probabilities& source) {
  const Matrix joint = class_masses(source);
  const Matrix given = joint * joint.colwise().sum().cwiseInverse().asDiagonal();  // p(y | z)
  Score score;
  if (source.soft.size() > 0) {
    score.value = soft_likelihood(source, given);
    return score;
  }
  Vector likelihood = Vector::Zero(source.count());
  for (Index z = 0; z < source.p.cols(); ++z) {
    for (Index i = 0; i < source.count(); ++i)
      likelihood[i] += source.p(i, z) * given(source.labels[static_cast<std::size_t>(i)], z);
  }
  score.value = likelihood.array().log().mean();
  return score;
}

}  // namespace assay
