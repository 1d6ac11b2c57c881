#include "metrics/probabilities.h"

#include <utility>

#include "metrics/samples.h"

namespace assay {

Probabilities make_probabilities(Matrix p, const std::vector<Label>& labels) {
  Probabilities out;
  out.labels = present_classes(labels, out.counts);
  std::vector<Index> used;
  const Vector mass = p.colwise().sum();
  for (Index z = 0; z < p.cols(); ++z) {
    if (mass[z] > 0.0) used.push_back(z);
  }
  out.p = static_cast<Index>(used.size()) == p.cols() ? std::move(p) : Matrix(p(Eigen::all, used));
  return out;
}

Matrix class_masses(const Probabilities& source) {
  Matrix out = Matrix::Zero(source.classes(), source.p.cols());
  for (Index z = 0; z < source.p.cols(); ++z) {
    for (Index i = 0; i < source.p.rows(); ++i)
      out(source.labels[static_cast<std::size_t>(i)], z) += source.p(i, z);
  }
  return out;
}

}  // namespace assay
