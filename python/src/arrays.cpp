#include "arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "assay/error.h"

namespace assay::python {

namespace py = pybind11;

namespace {

struct NamedType {
  char kind;
  Index size;  // 0: any
  ElementType type;
};

constexpr std::array kTypes = {
    NamedType{'f', 2, ElementType::f16},  NamedType{'f', 4, ElementType::f32},
    NamedType{'f', 8, ElementType::f64},  NamedType{'i', 1, ElementType::i8},
    NamedType{'i', 2, ElementType::i16},  NamedType{'i', 4, ElementType::i32},
    NamedType{'i', 8, ElementType::i64},  NamedType{'u', 1, ElementType::u8},
    NamedType{'u', 2, ElementType::u16},  NamedType{'u', 4, ElementType::u32},
    NamedType{'u', 8, ElementType::u64},  NamedType{'b', 1, ElementType::boolean},
    NamedType{'U', 0, ElementType::ucs4}, NamedType{'S', 0, ElementType::bytes}};

std::optional<ElementType> type_of(const py::dtype& dtype) {
  const auto* const row = std::ranges::find_if(kTypes, [&](const NamedType& type) {
    return type.kind == dtype.kind() && (type.size == 0 || type.size == dtype.itemsize());
  });
  return row == kTypes.end() ? std::nullopt : std::optional(row->type);
}

}  // namespace

Array array_of(const py::array& array, const std::string& where) {
  const std::optional<ElementType> type = type_of(array.dtype());
  if (!type) {
    fail_input(fmt::format("{}: arrays of {} cannot be used; expected numbers, booleans or text",
                           where, std::string(py::str(array.dtype()))));
  }
  const bool c_order = (array.flags() & py::array::c_style) != 0;
  const bool fortran = (array.flags() & py::array::f_style) != 0;
  if (!c_order && !fortran) fail_input(fmt::format("{}: the array is not contiguous", where));
  Array out;
  out.type = *type;
  out.item_size = array.itemsize();
  out.shape.assign(array.shape(), array.shape() + array.ndim());
  out.fortran_order = !c_order;
  out.bytes = {static_cast<const std::byte*>(array.data()),
               static_cast<std::size_t>(array.nbytes())};
  out.where = where;
  return out;
}

Rows rows_of(const py::array& array, const std::string& where) {
  return rows_of_array(array_of(array, where), {});
}

Targets targets_of(const py::array& array, const std::string& where) {
  return targets_of_array(array_of(array, where));
}

py::array_t<double> to_numpy(const Matrix& matrix) {
  py::array_t<double> out({matrix.rows(), matrix.cols()});
  auto values = out.mutable_unchecked<2>();
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) values(i, j) = matrix(i, j);
  return out;
}

}  // namespace assay::python
