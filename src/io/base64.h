#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Bytes as text of 64 letters (RFC 4648, with padding), four for every three bytes.
std::string to_base64(std::span<const std::byte> bytes);

// Nothing for text of another kind.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace assay
