#pragma once

#include "assay/net/plugin.h"

namespace assay::plugin {

extern const AssayPluginTrainer kTrainerTable;

}  // namespace assay::plugin
