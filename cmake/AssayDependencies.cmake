# Debian package names are in tools/setup.sh; this file only finds what it installs.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(fmt REQUIRED)
find_package(Boost 1.74 REQUIRED)  # Boost.Math: Student's t, headers only
find_package(nlohmann_json 3.7 REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(JPEG REQUIRED IMPORTED_TARGET libjpeg)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng>=1.6)
pkg_check_modules(WEBP REQUIRED IMPORTED_TARGET libwebp)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)  # SHA-256; libzip loads it anyway

# OpenBLAS carries LAPACK; its pthread build is the one whose threads can be held to one.
set(BLA_VENDOR OpenBLAS)
find_package(BLAS REQUIRED)
add_library(assay_openblas INTERFACE)
target_link_libraries(assay_openblas INTERFACE ${BLAS_LIBRARIES})

# HDF5's headers only: the library is loaded at run time (src/io/hdf5_library.h), by the name its
# file gives itself.
list(GET HDF5_LINK_LIBRARIES 0 assay_hdf5_file)
if(APPLE)
  set(assay_hdf5_name ${assay_hdf5_file})  # found by its whole path
else()
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${assay_hdf5_file} OUTPUT_VARIABLE assay_hdf5_header)
  if(NOT assay_hdf5_header MATCHES "SONAME +([^ \n]+)")
    message(FATAL_ERROR "${assay_hdf5_file}: no shared HDF5 library; install libhdf5-dev")
  endif()
  set(assay_hdf5_name ${CMAKE_MATCH_1})
endif()
add_library(assay_hdf5 INTERFACE)
target_include_directories(assay_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_compile_definitions(assay_hdf5 INTERFACE ASSAY_HDF5_SONAME="${assay_hdf5_name}")
