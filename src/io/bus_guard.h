#pragma once

#include <cstddef>

namespace assay {

// Bytes of a mapped file that no longer exist (somebody cut it short, or the disk failed) arrive as
// SIGBUS. From this call on they end the process with exit code 2 and a message that names the
// file. For programs of our own only: a library leaves signals alone.
void guard_mapped_files();
bool mapped_files_are_guarded();

// What MappedFile tells the guard; `name` must live until the mapping is unwatched.
struct WatchedMapping;
WatchedMapping* watch_mapping(const void* start, std::size_t size, const char* name);
void unwatch_mapping(WatchedMapping* mapping);

}  // namespace assay
