#include "io/hdf5.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "io/half.h"
#include "io/hdf5_source.h"
#include "io/hdf5_worker.h"

namespace assay {

Index element_size(ElementType floating) {
  return floating == ElementType::f16 ? 2 : floating == ElementType::f32 ? 4 : 8;
}

std::shared_ptr<Hdf5Source> open_hdf5(const std::filesystem::path& file) {
  if (std::shared_ptr<Hdf5Source> worker = open_hdf5_in_worker(file)) return worker;
  return open_hdf5_here(file, file.string());
}

std::vector<std::string> hdf5_names(const std::filesystem::path& path) {
  return open_hdf5(path)->names();
}

Hdf5Shape hdf5_shape(const std::filesystem::path& path, const std::string& name) {
  return open_hdf5(path)->shape(name);
}

Array read_hdf5(const std::filesystem::path& path, const std::string& name) {
  return open_hdf5(path)->read(name);
}

Hdf5Dataset::Hdf5Dataset(const std::filesystem::path& path, const std::string& name)
    : path_(path), name_(name), where_(fmt::format("{}:{}", path.string(), name)) {
  std::shared_ptr<Hdf5Source> source = open_hdf5(path);
  const Hdf5Shape found = source->shape(name);
  if (found.shape.size() != 2 || found.shape[0] == 0 || found.shape[1] == 0) {
    fail_input(fmt::format("{}: features must be a 2-D array (samples x dimensions), got shape {}",
                           where_, shape_text(found.shape)));
  }
  if (!is_floating(found.type)) {
    fail_input(fmt::format(
        "{}: features must be float16, float32 or float64, got {}; save them as float32", where_,
        element_name(found.type)));
  }
  rows_ = found.shape[0];
  cols_ = found.shape[1];
  type_ = found.type;
  // A worker may be ended for another's sake and started again; ours is a handle that stays open.
  if (open_hdf5_in_worker(path) == nullptr) here_ = std::move(source);
}

Hdf5Dataset::~Hdf5Dataset() = default;

void Hdf5Dataset::read_as(Index begin, Index end, ElementType as, void* out) const {
  const std::shared_ptr<Hdf5Source> source = here_ ? here_ : open_hdf5(path_);
  source->read_rows({name_, begin, end, cols_, as}, out);
}

// HDF5's own conversion from float16 is bit by bit and under the lock: 20
// times slower than reading the halves as they are and converting here.
std::vector<std::uint16_t> Hdf5Dataset::halves(Index begin, Index end) const {
  std::vector<std::uint16_t> values(static_cast<std::size_t>((end - begin) * cols_));
  read_as(begin, end, ElementType::f16, values.data());
  return values;
}

void Hdf5Dataset::read(Index begin, Index end, float* out) const {
  if (begin == end) return;
  if (type_ != ElementType::f16) return read_as(begin, end, ElementType::f32, out);
  half_to_float(halves(begin, end), out);
}

void Hdf5Dataset::read(Index begin, Index end, double* out) const {
  if (begin == end) return;
  if (type_ != ElementType::f16) return read_as(begin, end, ElementType::f64, out);
  const std::vector<std::uint16_t> values = halves(begin, end);
  std::transform(values.begin(), values.end(), out,
                 [](std::uint16_t half) { return half_to_float(half); });
}

}  // namespace assay
