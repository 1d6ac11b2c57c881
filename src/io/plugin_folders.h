#pragma once

#include <filesystem>
#include <vector>

namespace assay {

// Where plug-ins are looked for, in this order: $ASSAY_PLUGINS (folders between colons), beside the
// program, ../lib/assay from there, and one folder up.
std::vector<std::filesystem::path> plugin_folders();

}  // namespace assay
