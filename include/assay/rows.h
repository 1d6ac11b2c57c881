#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/array.h"
#include "assay/digest.h"
#include "assay/types.h"

namespace assay {

// An n x D matrix of features that may be far larger than memory: a mapped
// file, an HDF5 data set, several shards one after another. Readers ask for the
// rows they need, block by block.
class RowSource {
 public:
  virtual ~RowSource() = default;

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  const std::string& where() const { return where_; }  // "hub/a.npy", for messages

  // True when the file stores doubles: then nothing may be computed in float.
  virtual bool is_double() const = 0;

  // Copies the given rows (ascending) to `out`, row after row, D values each.
  // Values may be NaN or infinite: whoever reads for computing checks them.
  // Safe to call from several threads.
  virtual void read(std::span<const Index> rows, float* out) const = 0;
  virtual void read(std::span<const Index> rows, double* out) const = 0;

  // All rows one after another where they lie in memory as floats, or null. They stay as long as
  // this object does.
  virtual const float* floats_in_place() const { return nullptr; }

  // The caller is done with these rows for now; pages may go back to the system.
  // A pass calls it block after block, from one thread.
  virtual void release(Index /*begin*/, Index /*end*/) const {}

  virtual std::vector<std::filesystem::path> files() const = 0;

  // What the files behind the rows contain, for provenance. After a pass over a
  // mapped file this costs nothing: the digest was taken along the way.
  virtual std::vector<FileDigest> digests() const;

 protected:
  RowSource(Index rows, Index cols, std::string where)
      : rows_(rows), cols_(cols), where_(std::move(where)) {}

 private:
  Index rows_;
  Index cols_;
  std::string where_;
};

using Rows = std::shared_ptr<const RowSource>;

// Rows of a 2-D float array, in any storage order. Throws Error when the array
// is not 2-D, not floating, or has no rows or no columns.
Rows rows_of_array(Array array, std::vector<std::filesystem::path> files);

// Rows of a 2-D float data set that stays on disk; same conditions.
Rows rows_of_hdf5(const std::filesystem::path& path, const std::string& name);

// Rows kept in memory, one per row of `values`; `where` names them in messages.
Rows rows_of_matrix(const Matrix& values, std::string where);

// Several sources one below the other; all must have the same number of columns.
Rows rows_of_shards(std::vector<Rows> shards);

}  // namespace assay
