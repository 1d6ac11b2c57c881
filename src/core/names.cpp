#include "core/names.h"

#include <algorithm>

namespace assay {

bool is_plain_name(std::string_view name) {
  constexpr std::size_t longest = 255;  // of a file's name, nearly everywhere
  const auto harmful = [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return c == '/' || code < 0x20 || code == 0x7F;
  };
  return !name.empty() && name.size() <= longest && name != "." && name != ".." &&
         std::none_of(name.begin(), name.end(), harmful);
}

}  // namespace assay
