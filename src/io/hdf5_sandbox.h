#pragma once

#include "assay/types.h"

namespace assay::hdf5 {

// Takes from this process what reading an open file does not need. First what the loader does not
// need either: core dumps, files that grow, more than `memory` bytes of addresses.
void lay_down_limits(Index memory);

// Then, with the library loaded and the file open, nearly all system calls (Linux's seccomp): no
// file is opened any more, nothing is started, signalled or connected to. With HDF5_PLUGIN_PATH set
// files may still be opened for reading, as the filters found there are loaded when they are
// needed. False where the system has no such thing; the limits above still hold.
bool lay_down_system_calls();

}  // namespace assay::hdf5
