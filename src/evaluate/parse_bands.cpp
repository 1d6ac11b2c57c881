#include <fmt/format.h>

#include <limits>
#include <optional>

#include "assay/error.h"
#include "assay/evaluate.h"
#include "core/text.h"
#include "io/csv.h"

namespace assay {
namespace {

// "100+", "2-9" or "7".
std::optional<GroupBand> band_in(const std::string& text) {
  if (text.empty()) return {};
  if (text.back() == '+') {
    const std::optional<double> first = number_in(text.substr(0, text.size() - 1));
    if (!first) return {};
    return GroupBand{*first, std::numeric_limits<double>::infinity(), text};
  }
  const std::size_t dash = text.find('-', 1);
  const std::optional<double> first = number_in(text.substr(0, dash));
  const std::optional<double> last =
      dash == std::string::npos ? first : number_in(text.substr(dash + 1));
  if (!first || !last || !(*first <= *last)) return {};
  return GroupBand{*first, *last, text};
}

}  // namespace

std::vector<GroupBand> parse_bands(std::string_view list) {
  std::vector<GroupBand> bands;
  for (const std::string& word : split_list(list)) {
    const std::optional<GroupBand> band = band_in(word);
    if (!band)
      fail_input(fmt::format("`bands`: expected ranges such as 2-9,10-99,100+, got '{}'", word));
    if (!bands.empty() && !(bands.back().last < band->first)) {
      fail_input(fmt::format("`bands`: {} and {} overlap or are not ascending", bands.back().text,
                             band->text));
    }
    bands.push_back(*band);
  }
  return bands;
}

}  // namespace assay
