#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/hdf5.h"

namespace assay {

// What can be asked of one HDF5 file, in this process or in another. All throw Error.
class Hdf5Source {
 public:
  Hdf5Source() = default;
  virtual ~Hdf5Source() = default;
  Hdf5Source(const Hdf5Source&) = delete;
  Hdf5Source& operator=(const Hdf5Source&) = delete;
  Hdf5Source(Hdf5Source&&) = delete;
  Hdf5Source& operator=(Hdf5Source&&) = delete;

  virtual std::vector<std::string> names() = 0;
  virtual Hdf5Shape shape(const std::string& name) = 0;
  virtual Array read(const std::string& name) = 0;

  // Rows [begin, end) of a 2-D float data set with `cols` columns, converted to `as` (f16, f32 or
  // f64), to out: (end - begin) * cols elements.
  struct Slice {
    std::string name;
    Index begin = 0;
    Index end = 0;
    Index cols = 0;
    ElementType as = ElementType::f32;
  };
  virtual void read_rows(const Slice& slice, void* out) = 0;
};

Index element_size(ElementType floating);  // 2, 4 or 8

// By libhdf5 in this process. `shown` is how messages call the file.
std::unique_ptr<Hdf5Source> open_hdf5_here(const std::filesystem::path& file,
                                           const std::string& shown);

// By a worker process, if there is one to start (io/hdf5_worker.h), else here.
std::shared_ptr<Hdf5Source> open_hdf5(const std::filesystem::path& file);

}  // namespace assay
