#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "assay/array.h"
#include "io/hdf5_library.h"

// What reading HDF5 in this process is made of; private to src/io.
namespace assay::hdf5 {

// Held during every use of the library, closing handles included: it is not
// thread-safe. Also stops it from printing its errors to stderr (a setting that
// thread-safe builds keep for each thread).
class Session {
 public:
  Session();

 private:
  std::unique_lock<std::mutex> lock_;
};

// Owns one identifier of the library; negative = the call that made it failed.
template <auto Close>
class Handle {
 public:
  explicit Handle(hid_t id) : id_(id) {}
  ~Handle() {
    if (id_ >= 0) (library().*Close)(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;

  hid_t get() const { return id_; }
  bool ok() const { return id_ >= 0; }

 private:
  hid_t id_;
};

using File = Handle<&Library::H5Fclose>;
using DataSet = Handle<&Library::H5Dclose>;
using Space = Handle<&Library::H5Sclose>;
using Type = Handle<&Library::H5Tclose>;
using Properties = Handle<&Library::H5Pclose>;
using Object = Handle<&Library::H5Oclose>;

// All of these need a Session and throw Error.
// `shown` is how messages call the file.
File open_file(const std::filesystem::path& path, const std::string& shown);
std::vector<std::string> names_in(const File& file);

struct OpenDataSet {
  DataSet data;
  Type type;  // as stored
  ElementType element;
  std::vector<Index> shape;
  std::string where;
};
OpenDataSet open_data_set(const File& file, const std::string& shown, const std::string& name);

// What the library is asked to convert to: the native type of `element`.
Type memory_type(ElementType element);

}  // namespace assay::hdf5
