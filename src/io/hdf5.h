#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "assay/array.h"

namespace assay {

// HDF5, read-only, through its C library, in a process of its own where the program has one to
// start (io/hdf5_worker.h). The library is not thread-safe: everything here may be called from
// several threads, but waits its turn.
class Hdf5Source;

// Names of the data sets at the root, links included, in alphabetical order. Throws Error.
std::vector<std::string> hdf5_names(const std::filesystem::path& path);

struct Hdf5Shape {
  ElementType type = ElementType::f64;
  std::vector<Index> shape;
};

// What a data set holds, without reading it. Throws Error for a missing data set and for
// types that an Array cannot have (compound, references, ...).
Hdf5Shape hdf5_shape(const std::filesystem::path& path, const std::string& name);

// A whole data set, in memory of its own and little-endian whatever the file's order:
// floats (those of other widths become float32 or float64), integers, h5py's booleans,
// and strings, fixed or variable, as fixed-width ElementType::bytes. Throws Error,
// with ErrorCode::too_large when it does not fit reading_limit().
Array read_hdf5(const std::filesystem::path& path, const std::string& name);

// A 2-D float data set that stays on disk and is read by ranges of rows.
class Hdf5Dataset {
 public:
  // Throws Error when the data set is missing, not 2-D, not floating or empty.
  Hdf5Dataset(const std::filesystem::path& path, const std::string& name);
  ~Hdf5Dataset();
  Hdf5Dataset(const Hdf5Dataset&) = delete;
  Hdf5Dataset& operator=(const Hdf5Dataset&) = delete;
  Hdf5Dataset(Hdf5Dataset&&) = delete;
  Hdf5Dataset& operator=(Hdf5Dataset&&) = delete;

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  ElementType type() const { return type_; }
  const std::string& where() const { return where_; }  // "hub/a.h5:features"

  // Rows [begin, end), row after row; 0 <= begin <= end <= rows(). Throws Error
  // when a chunk is damaged.
  void read(Index begin, Index end, float* out) const;
  void read(Index begin, Index end, double* out) const;

 private:
  void read_as(Index begin, Index end, ElementType as, void* out) const;
  std::vector<std::uint16_t> halves(Index begin, Index end) const;

  std::filesystem::path path_;
  std::string name_;
  std::string where_;
  std::shared_ptr<Hdf5Source> here_;  // none: asked of a worker
  Index rows_ = 0;
  Index cols_ = 0;
  ElementType type_ = ElementType::f64;
};

}  // namespace assay
