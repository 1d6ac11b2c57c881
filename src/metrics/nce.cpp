#include <cmath>

#include "metrics/leep.h"

namespace assay {

// Tran et al., ICCV 2019: -H(Y | Z) = 1/n sum_yz n_yz log(n_yz / n_z), z_i = argmax P_i.
Score nce(const Probabilities& source) {
  Matrix counts = Matrix::Zero(source.classes(), source.p.cols());
  for (Index i = 0; i < source.count(); ++i) {
    Index z = 0;
    source.p.row(i).maxCoeff(&z);
    counts(source.labels[static_cast<std::size_t>(i)], z) += 1.0;
  }
  Score score;
  for (Index z = 0; z < counts.cols(); ++z) {
    const double total = counts.col(z).sum();
    for (Index y = 0; y < counts.rows(); ++y) {
      if (counts(y, z) > 0.0) score.value += counts(y, z) * std::log(counts(y, z) / total);
    }
  }
  score.value /= static_cast<double>(source.count());
  return score;
}

}  // namespace assay
