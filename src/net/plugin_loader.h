#pragma once

#include "assay/network.h"
#include "assay/plugin.h"

namespace assay {

// The plug-in of a backend, loaded on the first call and never unloaded (libtorch does not survive
// that). Throws Error when there is none or it is of another version. Any thread may call it.
const AssayPlugin& load_plugin(Backend backend);

}  // namespace assay
