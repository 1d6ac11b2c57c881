#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/rows.h"

namespace assay {
namespace {

class MatrixRows final : public RowSource {
 public:
  MatrixRows(const Matrix& values, std::string where)
      : RowSource(values.rows(), values.cols(), std::move(where)),
        transposed_(values.transpose()) {}

  bool is_double() const override { return true; }
  void read(std::span<const Index> rows, float* out) const override { read_as(rows, out); }
  void read(std::span<const Index> rows, double* out) const override { read_as(rows, out); }
  std::vector<std::filesystem::path> files() const override { return {}; }

 private:
  template <typename T>
  void read_as(std::span<const Index> wanted, T* out) const {
    for (const Index row : wanted) {
      out = std::transform(transposed_.col(row).begin(), transposed_.col(row).end(), out,
                           [](double value) { return static_cast<T>(value); });
    }
  }

  Matrix transposed_;
};

class ShardedRows final : public RowSource {
 public:
  ShardedRows(std::vector<Rows> shards, Index rows)
      : RowSource(rows, shards.front()->cols(), shards.front()->where()),
        shards_(std::move(shards)) {}

  bool is_double() const override {
    return std::any_of(shards_.begin(), shards_.end(),
                       [](const Rows& s) { return s->is_double(); });
  }
  void read(std::span<const Index> rows, float* out) const override { read_as(rows, out); }
  void read(std::span<const Index> rows, double* out) const override { read_as(rows, out); }

  void release(Index begin, Index end) const override {
    for (Index first = 0; const Rows& shard : shards_) {
      const Index low = std::max(begin - first, Index{0});
      const Index high = std::min(end - first, shard->rows());
      if (low < high) shard->release(low, high);
      first += shard->rows();
    }
  }

  std::vector<std::filesystem::path> files() const override {
    std::vector<std::filesystem::path> all;
    for (const Rows& shard : shards_) {
      for (std::filesystem::path& file : shard->files()) all.push_back(std::move(file));
    }
    return all;
  }

  std::vector<FileDigest> digests() const override {
    std::vector<FileDigest> all;
    for (const Rows& shard : shards_) {
      for (FileDigest& digest : shard->digests()) all.push_back(std::move(digest));
    }
    return all;
  }

 private:
  template <typename T>
  void read_as(std::span<const Index> wanted, T* out) const {
    std::vector<Index> local;
    for (Index first = 0; const Rows& shard : shards_) {
      local.clear();
      while (!wanted.empty() && wanted.front() < first + shard->rows()) {
        local.push_back(wanted.front() - first);
        wanted = wanted.subspan(1);
      }
      if (!local.empty()) shard->read(local, out);
      out += static_cast<Index>(local.size()) * cols();
      first += shard->rows();
    }
  }

  std::vector<Rows> shards_;
};

}  // namespace

std::vector<FileDigest> RowSource::digests() const {
  std::vector<FileDigest> all;
  for (const std::filesystem::path& file : files()) all.push_back({file, file_digest(file)});
  return all;
}

Rows rows_of_matrix(const Matrix& values, std::string where) {
  return std::make_shared<MatrixRows>(values, std::move(where));
}

Rows rows_of_shards(std::vector<Rows> shards) {
  if (shards.size() == 1) return shards.front();
  Index rows = 0;
  for (const Rows& shard : shards) {
    if (shard->cols() != shards.front()->cols()) {
      fail_input(fmt::format(
          "{}: this shard has {} columns, {} has {}; shards of one model must agree",
          shard->where(), shard->cols(), shards.front()->where(), shards.front()->cols()));
    }
    rows += shard->rows();
  }
  return std::make_shared<ShardedRows>(std::move(shards), rows);
}

}  // namespace assay
