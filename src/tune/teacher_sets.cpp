#include "tune/teacher_sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "assay/error.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t kMostSets = 1000;

[[noreturn]] void refuse(const std::string& text) {
  fail_input(
      fmt::format("'{}' names no teachers; expected top:K, all, names such as a,b, "
                  "sweep:1..K or combinations:K",
                  text));
}

std::optional<std::size_t> count_in(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) return {};
  return value;
}

TeacherSet best_of(std::span<const std::string> ranked, std::size_t count) {
  const std::size_t taken = std::min(count, ranked.size());
  return {taken == ranked.size() ? "all" : fmt::format("top-{}", taken),
          {ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(taken)}};
}

std::vector<TeacherSet> swept(const std::string& text, std::string_view range,
                              std::span<const std::string> ranked) {
  const std::size_t dots = range.find("..");
  if (dots == std::string_view::npos) refuse(text);
  const auto first = count_in(range.substr(0, dots));
  const auto last = count_in(range.substr(dots + 2));
  if (!first || !last || *first > *last) refuse(text);
  std::vector<TeacherSet> sets;
  for (std::size_t k = *first; k <= std::min(*last, ranked.size()); ++k) {
    sets.push_back(best_of(ranked, k));
    sets.back().label = fmt::format("top-{}", k);
  }
  if (sets.empty()) sets.push_back(best_of(ranked, ranked.size()));
  return sets;
}

// In lexicographic order of places, so the K best come first.
std::vector<TeacherSet> combined(const std::string& text, std::size_t size,
                                 std::span<const std::string> ranked) {
  size = std::min(size, ranked.size());
  std::vector<bool> chosen(ranked.size());
  std::fill_n(chosen.begin(), size, true);
  std::vector<TeacherSet> sets;
  do {
    TeacherSet set;
    for (std::size_t i = 0; i < ranked.size(); ++i)
      if (chosen[i]) set.names.push_back(ranked[i]);
    set.label = fmt::format("{}", fmt::join(set.names, "+"));
    sets.push_back(std::move(set));
    if (sets.size() > kMostSets)
      fail_input(fmt::format("{}: more than {} sets of teachers", text, kMostSets));
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return sets;
}

TeacherSet named(const std::string& text, std::span<const std::string> ranked) {
  TeacherSet set;
  for (const std::string& name : split_list(text)) {
    if (std::find(ranked.begin(), ranked.end(), name) == ranked.end()) {
      const std::string near = closest_match(name, ranked);
      fail_input(fmt::format("`teachers`: no network '{}'{}; there are {}", name,
                             near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near),
                             fmt::join(ranked, ", ")));
    }
    if (std::find(set.names.begin(), set.names.end(), name) != set.names.end())
      fail_input(fmt::format("`teachers`: '{}' is named twice", name));
    set.names.push_back(name);
  }
  set.label = fmt::format("{}", fmt::join(set.names, "+"));
  return set;
}

std::vector<TeacherSet> chosen_by(const std::string& text, std::span<const std::string> ranked) {
  if (text == "all") return {best_of(ranked, ranked.size())};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {named(text, ranked)};
  const std::string kind = text.substr(0, colon);
  const std::string rest = text.substr(colon + 1);
  if (kind == "sweep") return swept(text, rest, ranked);
  const auto count = count_in(rest);
  if (!count || (kind != "top" && kind != "combinations")) refuse(text);
  if (kind == "top") return {best_of(ranked, *count)};
  return combined(text, *count, ranked);
}

}  // namespace

std::vector<TeacherSet> choose_teachers(const std::string& text,
                                        std::span<const std::string> ranked) {
  if (ranked.empty()) fail_input("there is no network that could teach");
  std::vector<TeacherSet> out;
  for (const std::string& part : split_list(text, ';')) {
    for (TeacherSet& set : chosen_by(part, ranked)) {
      const bool known = std::any_of(out.begin(), out.end(), [&](const TeacherSet& other) {
        return other.names == set.names;
      });
      if (!known) out.push_back(std::move(set));
    }
  }
  return out;
}

}  // namespace assay
