#pragma once

#include <string_view>

namespace assay {

// The page that web/ is bundled into, with the mark where results go; empty in a build without it.
std::string_view page_template();

}  // namespace assay
