#include "metrics/leep.h"

#include <cmath>

#include "metrics/probabilities.h"

namespace assay {

// Nguyen et al., ICML 2020: 1/n sum_i log sum_z p(y_i | z) P_iz with p(y, z) = 1/n sum_i P_iz [y_i
// = y].
Score leep(const Probabilities& source) {
  const Matrix joint = class_masses(source);
  const Matrix given = joint * joint.colwise().sum().cwiseInverse().asDiagonal();  // p(y | z)
  Score score;
  Vector likelihood = Vector::Zero(source.count());
  for (Index z = 0; z < source.p.cols(); ++z) {
    for (Index i = 0; i < source.count(); ++i)
      likelihood[i] += source.p(i, z) * given(source.labels[static_cast<std::size_t>(i)], z);
  }
  score.value = likelihood.array().log().mean();
  return score;
}

}  // namespace assay
