#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "assay/array.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/types.h"

namespace assay::python {

// A NumPy array as the library knows arrays: its own memory, nothing is copied, so it must outlive
// the result. It must be contiguous, in C or Fortran order, and native-endian:
// python/assay/_arrays.py sees to that. Throws Error for element types that the library does not
// read.
Array array_of(const pybind11::array& array, const std::string& where);

// The same as features and as labels; `where` names them in messages.
Rows rows_of(const pybind11::array& array, const std::string& where);
Targets targets_of(const pybind11::array& array, const std::string& where);

// A matrix as a new C-ordered array.
pybind11::array_t<double> to_numpy(const Matrix& matrix);

}  // namespace assay::python
