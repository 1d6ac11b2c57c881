#include "data/subset.h"

#include "data/check_finite.h"

namespace assay {

Targets targets_of_rows(const Targets& targets, const std::vector<Index>& rows) {
  Targets out;
  out.kind = targets.kind;
  out.names = targets.names;
  out.where = targets.where;
  if (targets.kind != TargetKind::classes) {
    out.values = targets.values(rows, Eigen::all);
    return out;
  }
  for (const Index row : rows) out.labels.push_back(targets.labels[static_cast<std::size_t>(row)]);
  return out;
}

Matrix target_matrix(const Targets& targets, std::span<const Index> rows) {
  const auto count = static_cast<Index>(rows.size());
  Matrix dense = Matrix::Zero(count, targets.columns());
  for (Index i = 0; i < count; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    if (targets.kind == TargetKind::classes) {
      dense(i, targets.labels[static_cast<std::size_t>(row)]) = 1.0;
    } else {
      dense.row(i) = targets.values.row(row);
    }
  }
  return dense;
}

Rows rows_of_subset(const RowSource& source, const std::vector<Index>& rows) {
  Matrix columns(source.cols(), static_cast<Index>(rows.size()));
  source.read(rows, columns.data());
  for (std::size_t i = 0; i < rows.size(); ++i)
    checked_magnitude(source, rows[i], columns.col(static_cast<Index>(i)).data());
  return rows_of_matrix(columns.transpose(), source.where());
}

}  // namespace assay
