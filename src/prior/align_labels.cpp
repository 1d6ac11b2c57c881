#include "prior/align_labels.h"

#include <algorithm>

namespace assay {

// A label prior at T -> 0 weighs pairs of one class 1 and others 1/2; at T -> infinity all weigh
// 1/2.
template <typename T>
LabelAlignment align_labels(ThreadPool& pool, const std::string& name, const RowSource& rows,
                            const Kernel<T>& kernel, const std::vector<Label>& labels) {
  TaskPrior<T> prior;
  prior.groupings.push_back(labels);
  const Kernel<T>* const one[] = {&kernel};
  static constexpr double kLimits[] = {1e-6, 1e30};
  const std::vector<TaskMoments> moments =
      task_moments<T>(pool, prior, one, kLimits, Graph::directed);
  KernelOptions projection;
  projection.kind = KernelKind::projection;
  const Kernel<double> span = make_kernel<double>(pool, rows, projection);
  Matrix sums =
      Matrix::Zero(span.factor().rows(), *std::max_element(labels.begin(), labels.end()) + 1);
  Vector counts = Vector::Zero(sums.cols());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    sums.col(labels[i]) += span.factor().col(static_cast<Index>(i));
    counts[labels[i]] += 1.0;
  }
  const auto n = static_cast<double>(labels.size());
  const double spread = n - counts.squaredNorm() / n;  // |Y H|_F^2
  return {name, 2.0 * (moments[0].expectation - moments[1].expectation),
          std::max(0.0, spread - sums.squaredNorm()) / n};
}

template LabelAlignment align_labels(ThreadPool&, const std::string&, const RowSource&,
                                     const Kernel<float>&, const std::vector<Label>&);
template LabelAlignment align_labels(ThreadPool&, const std::string&, const RowSource&,
                                     const Kernel<double>&, const std::vector<Label>&);

}  // namespace assay
