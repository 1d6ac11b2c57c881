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

# OpenBLAS carries LAPACK; its pthread build is the one whose threads can be held to one.
set(BLA_VENDOR OpenBLAS)
find_package(BLAS REQUIRED)
add_library(assay_openblas INTERFACE)
target_link_libraries(assay_openblas INTERFACE ${BLAS_LIBRARIES})
