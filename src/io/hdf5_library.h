#pragma once

#include <hdf5.h>

namespace assay::hdf5 {

// libhdf5 is loaded when the first .h5 file is opened, not when the program starts: Debian's pulls
// in 30 further libraries, which would take half of the start-up time of every command.
//
// Functions keep their names and types: library().H5Dread(...) is H5Dread(...).
// clang-format off
#define ASSAY_HDF5_FUNCTIONS(X)                                                                   \
  X(H5open)                                                                                       \
  X(H5Dclose)                                                                                     \
  X(H5Dget_create_plist) X(H5Dget_space) X(H5Dget_storage_size) X(H5Dget_type) X(H5Dopen2)        \
      X(H5Dread) X(H5Dvlen_reclaim) X(H5Eset_auto2) X(H5Fclose) X(H5Fis_hdf5) X(H5Fopen)          \
          X(H5Gget_info) X(H5Iget_type) X(H5Lget_name_by_idx) X(H5Oclose) X(H5Oopen) X(H5Pclose)  \
              X(H5Pcreate) X(H5Pget_layout) X(H5Pset_chunk_cache) X(H5Sclose) X(H5Screate_simple) \
                  X(H5Sget_simple_extent_dims) X(H5Sget_simple_extent_ndims)                      \
                      X(H5Sget_simple_extent_type) X(H5Sselect_hyperslab) X(H5Tclose) X(H5Tcopy)  \
                          X(H5Tget_class) X(H5Tget_ebias) X(H5Tget_fields) X(H5Tget_nmembers)     \
                              X(H5Tget_sign) X(H5Tget_size) X(H5Tget_super) X(H5Tis_variable_str) \
                                  X(H5Tset_ebias) X(H5Tset_fields) X(H5Tset_size) X(H5Tset_strpad)

// Identifiers that hdf5.h's macros of nearly the same names take from the library.
#define ASSAY_HDF5_IDENTIFIERS(X)                                                                \
  X(H5P_CLS_DATASET_ACCESS_ID_g)                                                                 \
  X(H5T_IEEE_F32LE_g)                                                                            \
  X(H5T_IEEE_F64LE_g) X(H5T_STD_I8LE_g) X(H5T_STD_I16LE_g) X(H5T_STD_I32LE_g) X(H5T_STD_I64LE_g) \
      X(H5T_STD_U8LE_g) X(H5T_STD_U16LE_g) X(H5T_STD_U32LE_g) X(H5T_STD_U64LE_g)
// clang-format on

// A name that is declared cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
struct Library {
#define ASSAY_DECLARE(name) decltype(&::name) name = nullptr;
  ASSAY_HDF5_FUNCTIONS(ASSAY_DECLARE)
#undef ASSAY_DECLARE
#define ASSAY_DECLARE(name) hid_t name = -1;
  ASSAY_HDF5_IDENTIFIERS(ASSAY_DECLARE)
#undef ASSAY_DECLARE
};
// NOLINTEND(bugprone-macro-parentheses)

// Throws Error when the library is not installed.
const Library& library();

}  // namespace assay::hdf5
