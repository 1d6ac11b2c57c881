#include "io/hdf5_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "assay/error.h"

namespace assay::hdf5 {
namespace {

// A program that is linked with the library as well may hold its variables itself (copy
// relocations): the library then uses those, and so must we.
void* symbol(void* handle, const char* name) {
  if (void* const found = dlsym(RTLD_DEFAULT, name)) return found;
  if (void* const found = dlsym(handle, name)) return found;
  fail_input(
      fmt::format("HDF5 files cannot be read: {} has no {}; install the version Assay was "
                  "built with",
                  ASSAY_HDF5_SONAME, name));
}

Library load() {
  void* const handle = dlopen(ASSAY_HDF5_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    fail_input(
        fmt::format("HDF5 files cannot be read: {}; install it (Debian: libhdf5-dev)", dlerror()));
  }
  Library out;
#define ASSAY_RESOLVE(name) out.name = reinterpret_cast<decltype(out.name)>(symbol(handle, #name));
  ASSAY_HDF5_FUNCTIONS(ASSAY_RESOLVE)
#undef ASSAY_RESOLVE
  out.H5open();  // gives the identifiers their values
#define ASSAY_RESOLVE(name) out.name = *static_cast<const hid_t*>(symbol(handle, #name));
  ASSAY_HDF5_IDENTIFIERS(ASSAY_RESOLVE)
#undef ASSAY_RESOLVE
  return out;
}

}  // namespace

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

}  // namespace assay::hdf5
