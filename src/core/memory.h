#pragma once

#include <string_view>

#include "assay/types.h"

namespace assay {

// "2GiB", "512MiB", "1.5GB", "800000" (bytes) -> bytes. Throws Error on anything else.
Index parse_bytes(std::string_view text);

// What a run may use when the user names no limit: half of what this process may use
// (usable_memory), at most 4 GiB.
Index default_memory_limit();

}  // namespace assay
