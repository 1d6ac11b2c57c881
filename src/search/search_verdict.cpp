#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/text.h"
#include "search/search_report.h"

namespace assay {
namespace {

std::vector<std::string> names_of(const SearchResult& result, bool reported) {
  std::vector<std::string> names;
  for (const RacedModel& model : result.models)
    if (model.reported == reported) names.push_back(model.name);
  return names;
}

Index count_of(const SearchResult& result, RaceState state) {
  return std::ranges::count(result.models, state, &RacedModel::state);
}

std::string listed(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string decided_sentence(const SearchResult& result) {
  const std::vector<std::string> top = names_of(result, true);
  if (top.size() == result.models.size())
    return fmt::format("No more models than were asked for: {}.", listed(top));
  return fmt::format(
      "The best of the {} models by {} on all {} samples is {}{}: of every other model it is "
      "known, "
      "with {:g} % confidence for all of them together, that it is not.{}",
      with_thousands(static_cast<Index>(result.models.size())), result.by->name,
      with_thousands(result.samples), top.size() > 1 ? "among " : "", listed(top),
      100.0 * result.level, top.size() > 1 ? " Which of these is the best was not asked." : "");
}

std::string all_seen_sentence(const SearchResult& result) {
  return fmt::format(
      "{} {} best by {} of those that were left, scored on all {} samples. With {:g} % confidence "
      "no better one was dropped on the way. Whether scores this close would differ on other "
      "samples is another question: `assay rank` without a budget answers it for the few.",
      listed(names_of(result, true)), result.top > 1 ? "are the" : "is the", result.by->name,
      with_thousands(result.samples), 100.0 * result.level);
}

std::string budget_sentence(const SearchResult& result) {
  const Index open = count_of(result, RaceState::contender) +
                     count_of(result, RaceState::set_aside) + count_of(result, RaceState::untried);
  std::string text = fmt::format(
      "Not settled when the budget of {} was spent: {} of the {} models could still be the best by "
      "{} on all {} samples. The best so far: {}.",
      result.budget.text, with_thousands(open),
      with_thousands(static_cast<Index>(result.models.size())), result.by->name,
      with_thousands(result.samples), listed(names_of(result, true)));
  const Index dropped = count_of(result, RaceState::dropped);
  if (dropped > 0)
    text += fmt::format(" Settled: {} {} not the best ({:g} % confidence for all together).",
                        with_thousands(dropped), dropped == 1 ? "is" : "are", 100.0 * result.level);
  const Index aside = count_of(result, RaceState::set_aside);
  if (aside > 0)
    text += fmt::format(" {} {} set aside for others that scored better so far.",
                        with_thousands(aside), aside == 1 ? "was" : "were");
  const Index untried = count_of(result, RaceState::untried);
  if (untried > 0)
    text += fmt::format(" {} {} never tried: nothing is known of them.", with_thousands(untried),
                        untried == 1 ? "was" : "were");
  return text;
}

}  // namespace

std::string search_verdict(const SearchResult& result) {
  if (!result.settled()) return budget_sentence(result);
  return result.end == RaceEnd::decided ? decided_sentence(result) : all_seen_sentence(result);
}

}  // namespace assay
