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

// What reading one file may take: the limit of the run, which a program sets once it knows it
// (the command, each call from Python), else usable_memory(). One number for the process, as the
// memory is: readers are called from everywhere, and a limit that had to be handed to each would
// be forgotten by some.
Index reading_limit();
void limit_reading(Index bytes);

// Throws Error (too_large) when `bytes` are more than that, or negative, in the words of
// require_memory: "WHERE: reading takes 2.0 GiB of memory HOW, ...". `how` is such as "when
// unpacked".
void require_readable(Index bytes, const std::string& where, const char* how);

}  // namespace assay
