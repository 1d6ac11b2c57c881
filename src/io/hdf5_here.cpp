#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "core/memory.h"
#include "io/hdf5_session.h"
#include "io/hdf5_source.h"

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
  require_readable(size, set.where, "in memory");
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
  require_readable(size, set.where,
                   fmt::format("as labels, the longest of {} bytes,", width).c_str());
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < texts.count(); ++i) {
    if (!texts[i].empty()) std::memcpy(bytes.data() + i * width, texts[i].data(), texts[i].size());
  }
  return array_of(set, static_cast<Index>(width), std::move(bytes));
}

class Hdf5Here final : public Hdf5Source {
 public:
  Hdf5Here(const std::filesystem::path& file, std::string shown) : shown_(std::move(shown)) {
    const hdf5::Session session;
    file_.emplace(hdf5::open_file(file, shown_));
  }
  ~Hdf5Here() override {
    const hdf5::Session session;
    open_.reset();
    file_.reset();
  }
  Hdf5Here(const Hdf5Here&) = delete;
  Hdf5Here& operator=(const Hdf5Here&) = delete;
  Hdf5Here(Hdf5Here&&) = delete;
  Hdf5Here& operator=(Hdf5Here&&) = delete;

  std::vector<std::string> names() override {
    const hdf5::Session session;
    return hdf5::names_in(*file_);
  }

  Hdf5Shape shape(const std::string& name) override {
    const hdf5::Session session;
    const OpenDataSet& set = data_set(name);
    return {set.element, set.shape};
  }

  Array read(const std::string& name) override {
    const hdf5::Session session;
    const OpenDataSet& set = data_set(name);
    if (set.element != ElementType::bytes) return read_fixed(set, hdf5::memory_type(set.element));
    if (hdf5::library().H5Tis_variable_str(set.type.get()) > 0) return read_variable(set);
    const hdf5::Type type(hdf5::library().H5Tcopy(set.type.get()));
    hdf5::library().H5Tset_strpad(type.get(),
                                  H5T_STR_NULLPAD);  // also strips the blanks of Fortran's strings
    return read_fixed(set, type);
  }

  void read_rows(const Slice& slice, void* out) override {
    const hdf5::Session session;
    const OpenDataSet& set = data_set(slice.name);
    const bool fits = set.shape.size() == 2 && set.shape[1] == slice.cols && slice.begin >= 0 &&
                      slice.begin <= slice.end && slice.end <= set.shape[0];
    const std::array<hsize_t, 2> start = {static_cast<hsize_t>(slice.begin), 0};
    const std::array<hsize_t, 2> count = {static_cast<hsize_t>(slice.end - slice.begin),
                                          static_cast<hsize_t>(slice.cols)};
    const hdf5::Type type = hdf5::memory_type(slice.as);
    const hdf5::Space stored(hdf5::library().H5Dget_space(set.data.get()));
    const hdf5::Space wanted(hdf5::library().H5Screate_simple(2, count.data(), nullptr));
    const bool read =
        fits &&
        hdf5::library().H5Sselect_hyperslab(stored.get(), H5S_SELECT_SET, start.data(), nullptr,
                                            count.data(), nullptr) >= 0 &&
        hdf5::library().H5Dread(set.data.get(), type.get(), wanted.get(), stored.get(), H5P_DEFAULT,
                                out) >= 0;
    if (!read) {
      fail_input(fmt::format(
          "{}: rows {} to {} cannot be read; the file is damaged or needs a filter that is "
          "not installed",
          set.where, slice.begin, slice.end - 1));
    }
  }

 private:
  // The data set asked for last stays open, and with it the library's cache of its chunks.
  const OpenDataSet& data_set(const std::string& name) {
    if (!open_ || open_name_ != name) {
      open_.reset();
      open_.emplace(hdf5::open_data_set(*file_, shown_, name));
      open_name_ = name;
    }
    return *open_;
  }

  std::string shown_;
  std::optional<hdf5::File> file_;
  std::optional<OpenDataSet> open_;
  std::string open_name_;
};

}  // namespace

std::unique_ptr<Hdf5Source> open_hdf5_here(const std::filesystem::path& file,
                                           const std::string& shown) {
  return std::make_unique<Hdf5Here>(file, shown);
}

}  // namespace assay
