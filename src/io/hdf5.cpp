#include "io/hdf5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "assay/error.h"
#include "core/machine.h"
#include "core/text.h"
#include "io/hdf5_session.h"

namespace assay {
namespace {

using hdf5::OpenDataSet;

// HDF5 lets a tiny file declare a vast data set that was never written: before
// memory is taken for it, enough of it must exist on disk. 1032 is deflate's
// largest gain; small data sets pass unseen.
Index believable_size(const OpenDataSet& set, Index item_size) {
  constexpr Index harmless = Index{64} << 20;
  constexpr Index largest_gain = 1032;
  const Index size = checked_byte_size(item_size, set.shape);
  if (size > harmless && hdf5::library().H5Dget_storage_size(set.data.get()) <
                             static_cast<hsize_t>(size / largest_gain)) {
    fail_input(fmt::format("{}: shape {} was declared, but most of it was never written", set.where,
                           shape_text(set.shape)));
  }
  if (size < 0 || size > usable_memory()) {
    throw Error(ErrorCode::too_large,
                fmt::format("{}: needs more than this machine's memory of {}", set.where,
                            human_bytes(static_cast<double>(usable_memory()))));
  }
  return size;
}

Array array_of(const OpenDataSet& set, Index item_size, std::vector<std::byte> bytes) {
  Array array;
  array.type = set.element;
  array.item_size = item_size;
  array.shape = set.shape;
  array.where = set.where;
  array.buffer = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  array.bytes = *array.buffer;
  return array;
}

void read_all(const OpenDataSet& set, hid_t type, void* out) {
  if (hdf5::library().H5Dread(set.data.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) {
    fail_input(fmt::format(
        "{}: cannot be read; the file is damaged or needs a filter that is not installed",
        set.where));
  }
}

Array read_fixed(const OpenDataSet& set, const hdf5::Type& type) {
  const auto item_size = static_cast<Index>(hdf5::library().H5Tget_size(type.get()));
  std::vector<std::byte> bytes(static_cast<std::size_t>(believable_size(set, item_size)));
  if (!bytes.empty()) read_all(set, type.get(), bytes.data());
  return array_of(set, item_size, std::move(bytes));
}

// The library allocates every string; they go back even when an error is thrown.
class VariableStrings {
 public:
  explicit VariableStrings(const OpenDataSet& set)
      : type_(hdf5::library().H5Tcopy(set.type.get())),
        space_(hdf5::library().H5Dget_space(set.data.get())),
        texts_(static_cast<std::size_t>(believable_size(set, sizeof(char*))) / sizeof(char*)) {
    if (!texts_.empty()) read_all(set, type_.get(), texts_.data());
  }
  ~VariableStrings() {
    if (!texts_.empty())
      hdf5::library().H5Dvlen_reclaim(type_.get(), space_.get(), H5P_DEFAULT, texts_.data());
  }
  VariableStrings(const VariableStrings&) = delete;
  VariableStrings& operator=(const VariableStrings&) = delete;
  VariableStrings(VariableStrings&&) = delete;
  VariableStrings& operator=(VariableStrings&&) = delete;

  std::size_t count() const { return texts_.size(); }
  std::string_view operator[](std::size_t i) const {
    return texts_[i] != nullptr ? std::string_view(texts_[i]) : std::string_view();
  }

 private:
  hdf5::Type type_;
  hdf5::Space space_;
  std::vector<char*> texts_;
};

Array read_variable(const OpenDataSet& set) {
  const VariableStrings texts(set);
  std::size_t width = 1;
  for (std::size_t i = 0; i < texts.count(); ++i) width = std::max(width, texts[i].size());
  const Index size = checked_byte_size(static_cast<Index>(width), set.shape);
  if (size < 0 || size > usable_memory()) {
    throw Error(
        ErrorCode::too_large,
        fmt::format("{}: its longest string has {} bytes, too long for labels", set.where, width));
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < texts.count(); ++i) {
    if (!texts[i].empty()) std::memcpy(bytes.data() + i * width, texts[i].data(), texts[i].size());
  }
  return array_of(set, static_cast<Index>(width), std::move(bytes));
}

}  // namespace

std::vector<std::string> hdf5_names(const std::filesystem::path& path) {
  const hdf5::Session session;
  return hdf5::names_in(hdf5::open_file(path));
}

Hdf5Shape hdf5_shape(const std::filesystem::path& path, const std::string& name) {
  const hdf5::Session session;
  const hdf5::File file = hdf5::open_file(path);
  const OpenDataSet set = hdf5::open_data_set(file, path, name);
  return {set.element, set.shape};
}

Array read_hdf5(const std::filesystem::path& path, const std::string& name) {
  const hdf5::Session session;
  const hdf5::File file = hdf5::open_file(path);
  const OpenDataSet set = hdf5::open_data_set(file, path, name);
  if (set.element != ElementType::bytes) return read_fixed(set, hdf5::memory_type(set.element));
  if (hdf5::library().H5Tis_variable_str(set.type.get()) > 0) return read_variable(set);
  const hdf5::Type type(hdf5::library().H5Tcopy(set.type.get()));
  hdf5::library().H5Tset_strpad(type.get(),
                                H5T_STR_NULLPAD);  // also strips the blanks of Fortran's strings
  return read_fixed(set, type);
}

}  // namespace assay
