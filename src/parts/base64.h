#pragma once

#include <string>
#include <string_view>

namespace assay {

// Bytes as letters and back (RFC 4648, section 4, with padding). Throws Error for anything else.
std::string base64_of(std::string_view bytes);
std::string bytes_of_base64(std::string_view text);

}  // namespace assay
