#pragma once

#include <string>
#include <string_view>

#include "assay/types.h"

namespace assay {

// "2GiB", "512MiB", "1.5GB", "800000" (bytes) -> bytes. Throws Error on anything else.
Index parse_bytes(std::string_view text);

// What a run may use when the user names no limit: half of what this process may use
// (usable_memory), at most 4 GiB.
Index default_memory_limit();

// Throws Error (too_large) when `needed` bytes exceed the limit, always in the same words: "WHERE:
// WHAT takes 3 GiB of memory, the limit is 2 GiB; raise `memory_limit`", and " or REMEDY" where
// there is another way out.
void require_memory(const std::string& where, const std::string& what, Index needed, Index limit,
                    const std::string& remedy = "");

}  // namespace assay
