#include <algorithm>
#include <limits>
#include <vector>

#include "linalg/gram.h"
#include "prior/probe_r2.h"
#include "prior/regression_errors.h"

namespace assay {
namespace {

constexpr Index kTasksTogether = 16;

// Some tasks: one column of numbers for each class, or for all but the last of two, which says the
// same.
class TaskColumns {
 public:
  TaskColumns(const std::vector<Label>& labels, Index count, Index classes, Index first,
              Index tasks)
      : labels_(labels.data() + first * count),
        count_(count),
        columns_(classes == 2 ? 1 : classes),
        tasks_(tasks) {
    mean_ = Vector::Zero(size());
    for (Index b = 0; b < tasks; ++b) {
      for (Index i = 0; i < count; ++i) {
        const Label label = labels_[b * count + i];
        if (label < columns_) mean_[b * columns_ + label] += 1.0 / static_cast<double>(count);
      }
    }
  }

  Index size() const { return tasks_ * columns_; }
  Index columns() const { return columns_; }
  const Vector& mean() const { return mean_; }

  // Indicators minus their means, columns x samples.
  Matrix centred(Index first, Index count) const {
    Matrix out = (-mean_).replicate(1, count);
    for (Index b = 0; b < tasks_; ++b) {
      for (Index k = 0; k < count; ++k) {
        const Label label = labels_[b * count_ + first + k];
        if (label < columns_) out(b * columns_ + label, k) += 1.0;
      }
    }
    return out;
  }

 private:
  const Label* labels_;
  Index count_;
  Index columns_;
  Index tasks_;
  Vector mean_;
};

// Squared leave-one-out errors of each column.
Vector column_errors(const PrincipalAxes& axes, const LeaveOneOut& held, const TaskColumns& y) {
  const Index n = axes.z.cols();
  Matrix sums = Matrix::Zero(axes.z.rows(), y.size());
  for (Index block = 0; block < regression_blocks(n); ++block) {
    const auto [first, count] = regression_block(block, n);
    sums += product(axes.z.middleCols(first, count), false, y.centred(first, count), true);
  }
  const Matrix weights = held.weights().asDiagonal() * sums;
  Vector errors = Vector::Zero(y.size());
  for (Index block = 0; block < regression_blocks(n); ++block) {
    const auto [first, count] = regression_block(block, n);
    const auto z = axes.z.middleCols(first, count);
    const Matrix residual = y.centred(first, count) - product(weights, true, z, false);
    for (Index k = 0; k < count; ++k)
      errors += residual.col(k).cwiseAbs2() / held.kept_square(z.col(k));
  }
  return errors;
}

}  // namespace

Vector task_r2(ThreadPool& pool, const PrincipalAxes& axes, const std::vector<Label>& labels,
               Index classes, double penalty) {
  const Index n = axes.z.cols();
  const Index tasks = static_cast<Index>(labels.size()) / n;
  const LeaveOneOut held(axes, penalty);
  const double others = static_cast<double>(n) / (static_cast<double>(n) - 1.0);
  Vector out(tasks);
  pool.run((tasks + kTasksTogether - 1) / kTasksTogether, [&](Index group) {
    const Index first = group * kTasksTogether;
    const TaskColumns y(labels, n, classes, first, std::min(kTasksTogether, tasks - first));
    const Vector errors = column_errors(axes, held, y);
    const Vector variance = y.mean().array() * (1.0 - y.mean().array());
    for (Index b = 0; b < y.size() / y.columns(); ++b) {
      const double total = others * others * static_cast<double>(n) *
                           variance.segment(b * y.columns(), y.columns()).sum();
      const double error = errors.segment(b * y.columns(), y.columns()).sum();
      // A mean that rounding left beside 0 or 1 belongs to a task of one class.
      out[first + b] =
          total > 1e-9 ? 1.0 - error / total : std::numeric_limits<double>::quiet_NaN();
    }
  });
  return out;
}

}  // namespace assay
