#include "metrics/probabilities.h"

#include <utility>

#include "metrics/samples.h"

namespace assay {

namespace {

std::vector<Index> columns_with_mass(const Matrix& values) {
  const Vector mass = values.colwise().sum();
  std::vector<Index> used;
  for (Index z = 0; z < mass.size(); ++z) {
    if (mass[z] > 0.0) used.push_back(z);
  }
  return used;
}

Matrix without_empty_columns(Matrix values) {
  const std::vector<Index> used = columns_with_mass(values);
  return std::ssize(used) == values.cols() ? std::move(values) : Matrix(values(Eigen::all, used));
}

}  // namespace

Probabilities make_probabilities(Matrix p, const std::vector<Label>& labels) {
  Probabilities out;
  std::vector<Index> counts;
  out.labels = present_classes(labels, counts);
  out.shares.resize(std::ssize(counts));
  for (Index c = 0; c < out.shares.size(); ++c) {
    out.shares[c] = static_cast<double>(counts[static_cast<std::size_t>(c)]) /
                    static_cast<double>(labels.size());
  }
  out.p = without_empty_columns(std::move(p));
  return out;
}

Probabilities make_soft_probabilities(Matrix p, Matrix soft) {
  Probabilities out;
  out.soft = without_empty_columns(std::move(soft));
  out.shares = out.soft.colwise().mean().transpose();
  out.p = without_empty_columns(std::move(p));
  return out;
}

Matrix class_masses(const Probabilities& source) {
  if (source.soft.size() > 0) return source.soft.transpose() * source.p;
  Matrix out = Matrix::Zero(source.classes(), source.p.cols());
  for (Index z = 0; z < source.p.cols(); ++z) {
    for (Index i = 0; i < source.p.rows(); ++i)
      out(source.labels[static_cast<std::size_t>(i)], z) += source.p(i, z);
  }
  return out;
}

}  // namespace assay
