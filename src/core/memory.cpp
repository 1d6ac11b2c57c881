#include "core/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <utility>

#include "assay/error.h"
#include "core/machine.h"
#include "core/text.h"

namespace assay {
namespace {

std::atomic<Index> chosen_reading_limit{0};

// The one wording. `how` belongs to the amount: " when unpacked"; `remedy` is another way out.
[[noreturn]] void fail_memory(const std::string& where, const std::string& what, Index needed,
                              const std::string& how, Index limit, const std::string& remedy) {
  const std::string amount =
      needed < 0 ? "more than can be counted" : human_bytes(static_cast<double>(needed));
  throw Error(ErrorCode::too_large,
              fmt::format("{}: {} takes {} of memory{}, the limit is {}; raise `memory_limit`{}{}",
                          where, what, amount, how, human_bytes(static_cast<double>(limit)),
                          remedy.empty() ? "" : " or ", remedy));
}

}  // namespace

Index parse_bytes(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 13> units = {{{"", 1},
                                                                          {"B", 1},
                                                                          {"K", 1024.0},
                                                                          {"M", 1048576.0},
                                                                          {"G", 1073741824.0},
                                                                          {"KiB", 1024.0},
                                                                          {"MiB", 1048576.0},
                                                                          {"GiB", 1073741824.0},
                                                                          {"TiB", 1099511627776.0},
                                                                          {"KB", 1e3},
                                                                          {"MB", 1e6},
                                                                          {"GB", 1e9},
                                                                          {"TB", 1e12}}};
  const std::string_view body = trim(text);
  double number = 0.0;
  const auto [rest, status] = std::from_chars(body.data(), body.data() + body.size(), number);
  const std::string_view unit =
      trim({rest, static_cast<std::size_t>(body.data() + body.size() - rest)});
  const auto* row =
      std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.first == unit; });
  const bool readable = status == std::errc{} && row != units.end();
  const double bytes = readable ? number * row->second : 0.0;
  if (!(bytes >= 1.0) || bytes > 9e18) {
    fail_input(
        fmt::format("'{}' is not an amount of memory; write for example 2GiB or 512MiB", text));
  }
  return static_cast<Index>(bytes);
}

Index default_memory_limit() {
  constexpr Index four_gib = Index{4} << 30;
  return std::min(usable_memory() / 2, four_gib);
}

void require_memory(const std::string& where, const std::string& what, Index needed, Index limit,
                    const std::string& remedy) {
  if (needed <= limit) return;
  fail_memory(where, what, needed, "", limit, remedy);
}

Index reading_limit() {
  static const Index whole = usable_memory();
  const Index chosen = chosen_reading_limit;
  return chosen > 0 ? chosen : whole;
}

void limit_reading(Index bytes) { chosen_reading_limit = bytes; }

void require_readable(Index bytes, const std::string& where, const char* how) {
  const Index limit = reading_limit();
  if (bytes >= 0 && bytes <= limit) return;
  fail_memory(where, "reading", bytes, fmt::format(" {}", how), limit,
              "split the file (.npy features of any size are read in parts)");
}

}  // namespace assay
