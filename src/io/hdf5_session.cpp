#include "io/hdf5_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "assay/error.h"
#include "io/mapped_file.h"

namespace assay::hdf5 {
namespace {

constexpr unsigned kReadOnly = 0;  // H5F_ACC_RDONLY, a macro that calls the library

std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

bool is_half(hid_t type) {
  std::size_t sign = 0;
  std::size_t exponent = 0;
  std::size_t exponent_size = 0;
  std::size_t mantissa = 0;
  std::size_t mantissa_size = 0;
  return library().H5Tget_size(type) == 2 &&
         library().H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa,
                                 &mantissa_size) >= 0 &&
         sign == 15 && exponent == 10 && exponent_size == 5 && mantissa == 0 &&
         mantissa_size == 10 && library().H5Tget_ebias(type) == 15;
}

ElementType integer_type(hid_t type, const std::string& where) {
  constexpr std::array with_sign = {ElementType::i8, ElementType::i16, ElementType::i32,
                                    ElementType::i64};
  constexpr std::array without = {ElementType::u8, ElementType::u16, ElementType::u32,
                                  ElementType::u64};
  const std::size_t size = library().H5Tget_size(type);
  if (size == 0 || size > 8)
    fail_input(fmt::format("{}: integers of {} bytes are not supported", where, size));
  const std::size_t row = size == 1 ? 0 : size == 2 ? 1 : size <= 4 ? 2 : 3;
  return library().H5Tget_sign(type) == H5T_SGN_NONE ? without[row] : with_sign[row];
}

ElementType element_type(hid_t type, const std::string& where) {
  switch (library().H5Tget_class(type)) {
    case H5T_FLOAT:
      if (library().H5Tget_size(type) > 16) break;
      if (is_half(type)) return ElementType::f16;
      return library().H5Tget_size(type) <= 4 ? ElementType::f32 : ElementType::f64;
    case H5T_INTEGER:
      return integer_type(type, where);
    case H5T_ENUM:  // h5py stores booleans as an enumeration of two bytes
      if (library().H5Tget_size(type) == 1 && library().H5Tget_nmembers(type) == 2)
        return ElementType::boolean;
      return integer_type(Type(library().H5Tget_super(type)).get(), where);
    case H5T_STRING:
      return ElementType::bytes;
    default:
      break;
  }
  fail_input(fmt::format(
      "{}: its type is not supported; save float16, float32, float64, integers or strings", where));
}

std::vector<Index> shape_of(hid_t data, const std::string& where) {
  const Space space(library().H5Dget_space(data));
  const int rank = library().H5Sget_simple_extent_ndims(space.get());
  if (!space.ok() || rank < 0 || library().H5Sget_simple_extent_type(space.get()) == H5S_NULL) {
    fail_input(fmt::format("{}: the data set has no shape; it is empty or damaged", where));
  }
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  if (rank > 0 &&
      library().H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr) != rank) {
    fail_input(fmt::format("{}: the shape cannot be read; the file is damaged", where));
  }
  std::vector<Index> shape(extents.begin(), extents.end());
  if (checked_byte_size(8, shape) < 0) {
    fail_input(
        fmt::format("{}: shape {} is impossible; the file is damaged", where, shape_text(shape)));
  }
  return shape;
}

// The library trusts the stored size of data sets that are not chunked and
// crashes when a damaged header makes it smaller than the shape needs.
void check_storage(hid_t data, hid_t type, const std::vector<Index>& shape,
                   const std::string& where) {
  const Properties creation(library().H5Dget_create_plist(data));
  const H5D_layout_t layout = library().H5Pget_layout(creation.get());
  if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) return;
  const hsize_t stored = library().H5Dget_storage_size(data);
  if (stored == 0 && layout == H5D_CONTIGUOUS) return;  // never written: reads as zeros
  const Index needed = checked_byte_size(static_cast<Index>(library().H5Tget_size(type)), shape);
  if (needed >= 0 && stored >= static_cast<hsize_t>(needed)) return;
  fail_input(fmt::format("{}: shape {} does not fit the {} bytes stored; the file is damaged",
                         where, shape_text(shape), stored));
}

Type half_type() {
  Type type(library().H5Tcopy(library().H5T_IEEE_F32LE_g));
  const bool made = library().H5Tset_fields(type.get(), 15, 10, 5, 0, 10) >= 0 &&
                    library().H5Tset_size(type.get(), 2) >= 0 &&
                    library().H5Tset_ebias(type.get(), 15) >= 0;
  return made ? std::move(type) : Type(-1);
}

}  // namespace

Session::Session() : lock_(library_mutex()) {
  library().H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

File open_file(const std::filesystem::path& path, const std::string& shown) {
  // Looking first gives the exact reason when it is missing, unreadable or no file at all.
  if (regular_file_size(path) == 0) fail_input(fmt::format("{}: the file is empty", shown));
  if (library().H5Fis_hdf5(path.c_str()) <= 0)
    fail_input(fmt::format("{}: not an HDF5 file", shown));
  File file(library().H5Fopen(path.c_str(), kReadOnly, H5P_DEFAULT));
  if (file.ok()) return file;
  fail_input(fmt::format("{}: cannot be opened as HDF5; it is cut short, damaged, or being written",
                         shown));
}

std::vector<std::string> names_in(const File& file) {
  std::vector<std::string> names;
  H5G_info_t group{};
  if (library().H5Gget_info(file.get(), &group) < 0) return names;
  for (hsize_t i = 0; i < group.nlinks; ++i) {
    const auto name_at = [&](char* out, std::size_t size) {
      return library().H5Lget_name_by_idx(file.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, out, size,
                                          H5P_DEFAULT);
    };
    const ssize_t length = name_at(nullptr, 0);
    if (length < 0) break;
    std::string name(static_cast<std::size_t>(length), '\0');
    if (name_at(name.data(), name.size() + 1) != length) break;
    const Object object(library().H5Oopen(file.get(), name.c_str(),
                                          H5P_DEFAULT));  // follows links; fails on dangling ones
    if (object.ok() && library().H5Iget_type(object.get()) == H5I_DATASET)
      names.push_back(std::move(name));
  }
  return names;
}

OpenDataSet open_data_set(const File& file, const std::string& shown, const std::string& name) {
  // The default cache of 1 MiB holds less than one chunk of many files, which
  // would then be decompressed again for every block of rows.
  const Properties access(library().H5Pcreate(library().H5P_CLS_DATASET_ACCESS_ID_g));
  library().H5Pset_chunk_cache(access.get(), 10'007, std::size_t{32} << 20, 1.0);
  DataSet data(library().H5Dopen2(file.get(), name.c_str(), access.get()));
  if (!data.ok()) {
    fail_input(fmt::format("{}: holds no readable data set '{}'; it holds: {}", shown, name,
                           fmt::join(names_in(file), ", ")));
  }
  std::string where = fmt::format("{}:{}", shown, name);
  Type type(library().H5Dget_type(data.get()));
  if (!type.ok())
    fail_input(fmt::format("{}: its type cannot be read; the file is damaged", where));
  const ElementType element = element_type(type.get(), where);
  std::vector<Index> shape = shape_of(data.get(), where);
  check_storage(data.get(), type.get(), shape, where);
  return {std::move(data), std::move(type), element, std::move(shape), std::move(where)};
}

Type memory_type(ElementType element) {
  switch (element) {
    case ElementType::f16:
      return half_type();
    case ElementType::f32:
      return Type(library().H5Tcopy(library().H5T_IEEE_F32LE_g));
    case ElementType::f64:
      return Type(library().H5Tcopy(library().H5T_IEEE_F64LE_g));
    case ElementType::i8:
      return Type(library().H5Tcopy(library().H5T_STD_I8LE_g));
    case ElementType::i16:
      return Type(library().H5Tcopy(library().H5T_STD_I16LE_g));
    case ElementType::i32:
      return Type(library().H5Tcopy(library().H5T_STD_I32LE_g));
    case ElementType::i64:
      return Type(library().H5Tcopy(library().H5T_STD_I64LE_g));
    case ElementType::boolean:
    case ElementType::u8:
      return Type(library().H5Tcopy(library().H5T_STD_U8LE_g));
    case ElementType::u16:
      return Type(library().H5Tcopy(library().H5T_STD_U16LE_g));
    case ElementType::u32:
      return Type(library().H5Tcopy(library().H5T_STD_U32LE_g));
    case ElementType::u64:
      return Type(library().H5Tcopy(library().H5T_STD_U64LE_g));
    default:
      return Type(-1);
  }
}

}  // namespace assay::hdf5
