#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/error.h"
#include "io/half.h"
#include "io/hdf5.h"
#include "io/hdf5_session.h"

namespace assay {

struct Hdf5Dataset::Handles {
  hdf5::File file;
  hdf5::DataSet data;

  void read(Index begin, Index end, Index cols, ElementType as, void* out,
            const std::string& where) const {
    const std::array<hsize_t, 2> start = {static_cast<hsize_t>(begin), 0};
    const std::array<hsize_t, 2> count = {static_cast<hsize_t>(end - begin),
                                          static_cast<hsize_t>(cols)};
    const hdf5::Session session;
    const hdf5::Type type = hdf5::memory_type(as);
    const hdf5::Space stored(hdf5::library().H5Dget_space(data.get()));
    const hdf5::Space wanted(hdf5::library().H5Screate_simple(2, count.data(), nullptr));
    const bool read =
        hdf5::library().H5Sselect_hyperslab(stored.get(), H5S_SELECT_SET, start.data(), nullptr,
                                            count.data(), nullptr) >= 0 &&
        hdf5::library().H5Dread(data.get(), type.get(), wanted.get(), stored.get(), H5P_DEFAULT,
                                out) >= 0;
    if (!read) {
      fail_input(fmt::format(
          "{}: rows {} to {} cannot be read; the file is damaged or needs a filter that is "
          "not installed",
          where, begin, end - 1));
    }
  }

  // HDF5's own conversion from float16 is bit by bit and under the lock: 20
  // times slower than reading the halves as they are and converting here.
  std::vector<std::uint16_t> halves(Index begin, Index end, Index cols,
                                    const std::string& where) const {
    std::vector<std::uint16_t> values(static_cast<std::size_t>((end - begin) * cols));
    read(begin, end, cols, ElementType::f16, values.data(), where);
    return values;
  }
};

Hdf5Dataset::Hdf5Dataset(const std::filesystem::path& path, const std::string& name) {
  const hdf5::Session session;
  hdf5::File file = hdf5::open_file(path);
  hdf5::OpenDataSet set = hdf5::open_data_set(file, path, name);
  if (set.shape.size() != 2 || set.shape[0] == 0 || set.shape[1] == 0) {
    fail_input(fmt::format("{}: features must be a 2-D array (samples x dimensions), got shape {}",
                           set.where, shape_text(set.shape)));
  }
  if (!is_floating(set.element)) {
    fail_input(fmt::format(
        "{}: features must be float16, float32 or float64, got {}; save them as float32", set.where,
        element_name(set.element)));
  }
  where_ = std::move(set.where);
  rows_ = set.shape[0];
  cols_ = set.shape[1];
  type_ = set.element;
  handles_.reset(new Handles{std::move(file), std::move(set.data)});
}

Hdf5Dataset::~Hdf5Dataset() {
  const hdf5::Session session;
  handles_.reset();
}

void Hdf5Dataset::read(Index begin, Index end, float* out) const {
  if (begin == end) return;
  if (type_ != ElementType::f16)
    return handles_->read(begin, end, cols_, ElementType::f32, out, where_);
  half_to_float(handles_->halves(begin, end, cols_, where_), out);
}

void Hdf5Dataset::read(Index begin, Index end, double* out) const {
  if (begin == end) return;
  if (type_ != ElementType::f16)
    return handles_->read(begin, end, cols_, ElementType::f64, out, where_);
  const std::vector<std::uint16_t> halves = handles_->halves(begin, end, cols_, where_);
  std::transform(halves.begin(), halves.end(), out,
                 [](std::uint16_t half) { return half_to_float(half); });
}

}  // namespace assay
