#include "data/subset.h"

#include <memory>
#include <utility>

#include "data/check_finite.h"

namespace assay {
namespace {

class SubsetRows final : public RowSource {
 public:
  SubsetRows(Rows source, std::vector<Index> rows)
      : RowSource(std::ssize(rows), source->cols(), source->where()),
        source_(std::move(source)),
        chosen_(std::move(rows)) {}

  bool is_double() const override { return source_->is_double(); }
  void read(std::span<const Index> rows, float* out) const override {
    source_->read(there(rows), out);
  }
  void read(std::span<const Index> rows, double* out) const override {
    source_->read(there(rows), out);
  }
  void release(Index begin, Index end) const override {
    if (begin < end)
      source_->release(chosen_[static_cast<std::size_t>(begin)],
                       chosen_[static_cast<std::size_t>(end - 1)] + 1);
  }
  std::vector<std::filesystem::path> files() const override { return source_->files(); }
  std::vector<FileDigest> digests() const override { return source_->digests(); }

 private:
  std::vector<Index> there(std::span<const Index> rows) const {
    std::vector<Index> out;
    for (const Index row : rows) out.push_back(chosen_[static_cast<std::size_t>(row)]);
    return out;
  }

  Rows source_;
  std::vector<Index> chosen_;
};

}  // namespace

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

Rows view_of_subset(Rows source, std::vector<Index> rows) {
  return std::make_shared<const SubsetRows>(std::move(source), std::move(rows));
}

}  // namespace assay
