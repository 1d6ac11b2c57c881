#pragma once

#include "assay/plugin.h"

namespace assay::plugin {

extern const AssayPluginTrainer kTrainerTable;

}  // namespace assay::plugin
