#pragma once

#include <filesystem>
#include <string>

namespace assay {

// SHA-256 of a whole file, 64 lower-case hexadecimal digits: what model hubs publish with their
// weights. (Our own caches use the faster Digest.) Throws Error when the file cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace assay
