#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "metrics/held_out.h"
#include "rank/guessing.h"
#include "rank/rank_report.h"
#include "rank/ranking.h"
#include "rank/score_unit.h"

namespace assay {
namespace {

const ScoredModel& model_at(const RankResult& result, std::size_t position) {
  return result.models[static_cast<std::size_t>(result.ranking.places[position].candidate)];
}

const Comparison& winner_against(const RankResult& result, std::size_t position) {
  return result.ranking
      .versus_winner[static_cast<std::size_t>(result.ranking.places[position].candidate)];
}

// 12,345 -> "about 12,000": an extrapolation deserves two digits.
std::string rounded(double samples) {
  const double unit = std::pow(10.0, std::floor(std::log10(samples)) - 1.0);
  return with_thousands(static_cast<Index>(std::ceil(samples / unit) * unit));
}

// The difference between the winner and another model, in the unit of what orders them.
std::string gap_text(const RankResult& result, std::size_t position) {
  const Comparison& other = winner_against(result, position);
  return fmt::format("{:.{}f} {} (standard error {:.{}f})", std::abs(other.difference),
                     result.by != nullptr ? 4 : 2,
                     result.by != nullptr ? score_unit(*result.by, result.target_kind) : "ranks",
                     other.standard_error, result.by != nullptr ? 4 : 2);
}

std::string what_would_separate(const RankResult& result, std::size_t position) {
  const ScoredModel& other = model_at(result, position);
  const std::optional<double> needed =
      labels_to_separate(result.ranking.places[position], other.samples);
  const std::string gap = gap_text(result, position);
  if (!needed) {
    return fmt::format(
        "{} scores as good as the same ({}); more labels will hardly tell them apart.", other.name,
        gap);
  }
  if (*needed <= static_cast<double>(other.samples)) {  // apart, but their ranges overlap
    return fmt::format("The gap to {} is {}; a few more labels should settle it.", other.name, gap);
  }
  return fmt::format(
      "The gap to {} is {}; if it holds, about {} labelled samples would separate the two.",
      other.name, gap, rounded(*needed));
}

std::string tied_sentence(const RankResult& result) {
  std::vector<std::string> tied;
  std::size_t closest = 0;
  for (std::size_t k = 1; k < result.ranking.places.size(); ++k) {
    if (winner_against(result, k).separated) continue;
    if (tied.empty()) closest = k;
    tied.push_back(model_at(result, k).name);
  }
  const auto percent = fmt::format("{:g} %", 100.0 * result.ranking.level);
  const char* by = result.by != nullptr ? "this metric" : "the consensus";
  if (tied.empty()) {
    return fmt::format(
        "By {} it is ahead of every other model at {} confidence; the runner-up, {}, is {} behind.",
        by, percent, model_at(result, 1).name, gap_text(result, 1));
  }
  const std::string shown =
      tied.size() <= 4 ? listed(tied)
                       : fmt::format("{}, {} and {} others", tied[0], tied[1], tied.size() - 2);
  return fmt::format(
      "At {} confidence {} cannot tell it from {}: choose among them by size, speed or licence. {}",
      percent, by, shown, what_would_separate(result, closest));
}

std::string first_by_metric(const RankResult& result) {
  const ScoredModel& winner = model_at(result, 0);
  const auto chosen = static_cast<std::size_t>(
      std::find(result.metrics.begin(), result.metrics.end(), result.by) - result.metrics.begin());
  const Score& score = winner.scores[chosen].score;
  std::string text = fmt::format(
      "{} ranks first by {} ({:.4f} {} on {} samples", winner.name, result.by->title, score.value,
      score_unit(*result.by, result.target_kind), with_thousands(winner.samples));
  for (const auto& [name, value] : score.details) {
    if (name == "gain") text += fmt::format(", {:+.4f} over no features at all", value);
  }
  return text + "). ";
}

std::string first_by_consensus(const RankResult& result) {
  std::vector<std::string> names;
  for (const Metric* metric : result.consensus_metrics) names.emplace_back(metric->name);
  const auto winner = static_cast<std::size_t>(result.ranking.places.front().candidate);
  return fmt::format("{} ranks first by consensus (mean rank {:.1f} over {}{}, on {} samples). ",
                     result.models[winner].name, result.consensus[winner],
                     result.by_held_out ? "the held-out log likelihoods of " : "", listed(names),
                     with_thousands(result.models[winner].samples));
}

std::string verdict_of_scores(const RankResult& result) {
  std::string text = result.by != nullptr ? first_by_metric(result) : first_by_consensus(result);
  if (result.models.size() == 1)
    return text + "It is the only model, so there is nothing to compare it with.";
  if (result.draws > 0) {
    return text + fmt::format("Scores are means over {} draws of {} rows.", result.draws,
                              with_thousands(result.draw_rows));
  }
  if (result.ranking.level == 0.0) {
    return text +
           fmt::format(
               "Without intervals (`ci` 0) it is not known whether its lead over {} is real.",
               model_at(result, 1).name);
  }
  return text + tied_sentence(result);
}

std::string what_guessing_is(const RankResult& result, const MetricScore& score) {
  if (score.metric->name == "logme")
    return result.centered ? "using no features" : "knowing no more than how common each class is";
  return result.largest_class ? "always naming the commonest class"
                              : "always naming the mean, or how often a label is set,";
}

std::string nothing_beats_guessing(const RankResult& result, const AboveGuessing& closest) {
  const Interval interval = score_interval(*closest.score, result.ranking.level).value();
  return fmt::format(
      "No model beats guessing, as far as these labels tell. At {:g} % confidence over all models "
      "and metrics none is above it. The best attempt is the {} of {}: "
      "{:.4f} {}, interval {:.4f} to {:.4f}, where {} scores {:.4f}. The order of the models is "
      "therefore no advice; check that labels and rows belong together, or take other models. ",
      100.0 * result.ranking.level, closest.score->metric->name, closest.model->name,
      closest.score->score.value, score_unit(*closest.score->metric, result.target_kind),
      interval.low, interval.high, what_guessing_is(result, *closest.score), closest.guess);
}

// Others may be right where the winner is not.
std::string doubt_about_the_winner(const RankResult& result, const Guessing& guessing) {
  if (!guessing.beaten().value_or(false)) return "";
  const auto winner = static_cast<std::size_t>(result.ranking.places.front().candidate);
  if (guessing.beaten_by[winner].value_or(true)) return "";
  return fmt::format(" By itself {} is not shown to beat guessing; other models are.",
                     result.models[winner].name);
}

std::string order_of_noise(const RankResult& result) {
  const std::string& first = model_at(result, 0).name;
  const std::string by =
      result.by != nullptr ? std::string(result.by->title) : std::string("consensus");
  return result.models.size() == 1
             ? "It is the only model, so there is nothing to compare it with."
             : fmt::format("By {} {} comes first, which means nothing here.", by, first);
}

std::string weakness_sentence(const RankResult& result) {
  if (!result.labels_per_class) return "";
  return fmt::format(
      " The answer is weak: with fewer than {} labels per class ({:.2g}), another draw of labels "
      "may well name another model; label more before you rely on it.",
      kFewLabels, *result.labels_per_class);
}

// The models worth their time, where that is known of more than one.
std::string front_sentence(const RankResult& result) {
  std::vector<std::string> front;
  Index known = 0;
  for (const Place& place : result.ranking.places) {
    const ScoredModel& model = result.models[static_cast<std::size_t>(place.candidate)];
    known += model.cost ? 1 : 0;
    if (model.pareto)
      front.push_back(fmt::format("{} ({:.2f} ms/image)", model.name, model.cost->latency_ms));
  }
  if (known < 2) return "";
  return fmt::format(" No model is both faster and better than {}.", listed(front));
}

}  // namespace

std::string interval_source(const RankResult& result) {
  if (result.ranking.level == 0.0) return "none";
  if (result.ranking.units == result.models.front().samples) return "rows";
  return result.ranking.units == result.folds ? "folds" : "groups";
}

std::optional<double> labels_to_separate(const Place& place, Index samples) {
  if (!place.times_the_labels) return std::nullopt;
  return *place.times_the_labels * static_cast<double>(samples);
}

std::string rank_verdict(const RankResult& result) {
  const Guessing guessing = judge_guessing(result);
  if (!guessing.beaten().value_or(true))
    return nothing_beats_guessing(result, guessing.closest) + order_of_noise(result) +
           weakness_sentence(result);
  return verdict_of_scores(result) + doubt_about_the_winner(result, guessing) +
         weakness_sentence(result) + front_sentence(result);
}

}  // namespace assay
