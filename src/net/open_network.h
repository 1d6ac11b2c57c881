#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/network.h"

namespace assay {

// Loads the network by the plug-in of its backend. "features" comes first among its outputs, then
// "logits" where the description does not say `classes` = 0 and the network has them, then its
// other layers. The plug-in is loaded by the first call (libtorch: most of a second). Throws Error
// naming the file when it is no network, and saying how to get the plug-in when there is none.
std::unique_ptr<Network> open_network(const NetworkDescription& description);

// Where the plug-in of a backend lies, without loading it: in a folder of $ASSAY_PLUGINS
// (colon-separated), beside the running program, in ../lib/assay of it or in the folder above it
// (the build tree). Nothing when it is in none of them.
std::optional<std::filesystem::path> find_plugin(Backend backend);

// "libassay_torch.so is not installed ...; build it with `make torch`".
std::string missing_plugin_message(Backend backend);

// What the plug-in runs on, "libtorch 1.13.1". Loads it; throws Error as open_network does.
std::string plugin_library(Backend backend);

}  // namespace assay
