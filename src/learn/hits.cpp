#include "learn/hits.h"

#include <cstddef>

namespace assay {

Vector hits(const Matrix& scores, std::span<const Label> labels) {
  Vector out(scores.cols());
  for (Index i = 0; i < scores.cols(); ++i) {
    Index best = 0;
    scores.col(i).maxCoeff(&best);
    out[i] = best == labels[static_cast<std::size_t>(i)] ? 1.0 : 0.0;
  }
  return out;
}

}  // namespace assay
