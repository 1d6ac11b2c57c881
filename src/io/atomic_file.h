#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string_view>

namespace assay {

// Writes the parts one after another to a temporary beside `path` and renames it
// into place: readers see the old file or the whole new one. Pipes and devices are
// written to directly. Throws Error.
void write_file_atomically(const std::filesystem::path& path,
                           std::initializer_list<std::string_view> parts);
void write_file_atomically(const std::filesystem::path& path,
                           std::span<const std::string_view> parts);

}  // namespace assay
