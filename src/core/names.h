#pragma once

#include <string_view>

namespace assay {

// Whether a name from outside may become the name of a file or folder of ours and be shown to
// people: not empty, not "." or "..", no '/', no control character, at most 255 bytes. Asked where
// names come in, so that nobody else needs to.
bool is_plain_name(std::string_view name);

}  // namespace assay
