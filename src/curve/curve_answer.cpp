#include <algorithm>
#include <cmath>
#include <optional>

#include "curve/curve_cells.h"
#include "curve/curve_report.h"

namespace assay {
namespace {

struct Need {
  const std::string* name;
  const LabelsNeeded* needed;
  std::string level = {};  // at which the curve ends up, in words
};

// Two digits say all that such an estimate knows.
std::string rough_count(double rows) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(rows)) - 1.0));
  return with_thousands(std::llround(std::round(rows / unit) * unit));
}

// Never of no width: what rounds to one number is said once, as it is.
std::string range_words(const LabelsNeeded& needed) {
  if (!needed.low || !needed.high) return "";
  const std::string low = rough_count(*needed.low);
  const std::string high = rough_count(*needed.high);
  if (needed.high_is_bound) return fmt::format(" [{} to more than {}]", low, high);
  return low == high ? "" : fmt::format(" [{}-{}]", low, high);
}

std::string labels_of(const LabelsNeeded& needed) {
  if (needed.upper_bound)
    return fmt::format("{} labels or fewer", with_thousands(std::llround(needed.rows)));
  return fmt::format("about {} labels{}", rough_count(needed.rows), range_words(needed));
}

// Where an answer is no measurement, it says so.
std::string source_of(const LabelsNeeded& needed, double largest) {
  if (needed.reach != Reach::extrapolated) return "";
  return fmt::format(" (extrapolated: measured up to {})", with_thousands(std::llround(largest)));
}

std::string loss_words(LossKind kind, double value) {
  if (kind == LossKind::nll) return fmt::format("a loss of {:.4g} nats", value);
  return kind == LossKind::zero_one ? fmt::format("an error rate of {:.4g}", value)
                                    : fmt::format("a squared error of {:.4g}", value);
}

std::string unreached(const Need& best, const std::string& target, double largest) {
  const std::string rows = with_thousands(std::llround(largest));
  const LabelsNeeded& needed = *best.needed;
  if (needed.reach == Reach::not_reachable && needed.levels_off) {
    return fmt::format(
        "No model reaches {} with the {} labels there are, nor is any expected to: {} levels "
        "off at {}.",
        target, rows, *best.name, best.level);
  }
  const std::string more = needed.levels_off
                               ? fmt::format("; more than {} are expected to be needed",
                                             with_thousands(std::llround(kFarthest * largest)))
                               : std::string();
  return fmt::format("No model reaches {} with the {} labels there are{}.", target, rows, more);
}

// What the runner-up needs, and whether that is more.
std::string runner_up(const Need& second, double largest, const std::optional<double>& share) {
  const LabelsNeeded& needed = *second.needed;
  if (needed.lower_bound) {
    return fmt::format(
        "; no other model does with {}.",
        with_thousands(std::llround(needed.levels_off ? kFarthest * largest : needed.rows)));
  }
  const std::string count =
      needed.upper_bound ? labels_of(needed) : rough_count(needed.rows) + range_words(needed);
  const std::string chance =
      share && *share < 0.975
          ? fmt::format(", which may be chance (fewer for the first in {:.0f} % of resamples)",
                        100.0 * *share)
          : std::string();
  return fmt::format("; the runner-up, {}, needs {}{}{}.", *second.name, count,
                     source_of(needed, largest), chance);
}

std::string sentence(std::vector<Need> needs, const std::string& target, const CurveResult& result,
                     bool for_accuracy) {
  std::ranges::stable_sort(needs, {}, [](const Need& need) {
    return std::pair(need.needed->lower_bound, need.needed->rows);
  });
  const Need& best = needs.front();
  const auto largest =
      result.train_rows > 0 ? static_cast<double>(result.train_rows) : best.needed->rows;
  if (best.needed->lower_bound) return unreached(best, target, largest);
  std::string text = fmt::format("{} needs {} to reach {}{}", *best.name, labels_of(*best.needed),
                                 target, source_of(*best.needed, largest));
  if (best.needed->with_validation && !best.needed->upper_bound) {
    text += fmt::format(", {} with those that judge", rough_count(*best.needed->with_validation));
  }
  if (needs.size() < 2) return text + ".";
  std::optional<double> share;
  for (const NeedsFewer& one : result.needs_fewer) {
    if (one.for_accuracy == for_accuracy && one.second == *needs[1].name) share = one.share;
  }
  return text + runner_up(needs[1], largest, share);
}

}  // namespace

std::string curve_answer(const CurveResult& result) {
  std::vector<Need> loss;
  std::vector<Need> accuracy;
  const auto level = [](const LabelsNeeded& needed, bool of_accuracy) {
    if (!needed.levels_off) return std::string();
    const auto [low, high] = *needed.levels_off_range;
    return of_accuracy ? fmt::format("{:.3g} [{:.3g}-{:.3g}]", 1.0 - *needed.levels_off, 1.0 - high,
                                     1.0 - low)
                       : fmt::format("{:.3g} [{:.3g}-{:.3g}]", *needed.levels_off, low, high);
  };
  for (const CurveModel& model : result.models) {
    if (model.for_loss)
      loss.push_back({&model.name, &*model.for_loss, level(*model.for_loss, false)});
    if (model.for_accuracy)
      accuracy.push_back({&model.name, &*model.for_accuracy, level(*model.for_accuracy, true)});
  }
  std::vector<std::string> sentences;
  if (!loss.empty()) {
    sentences.push_back(
        sentence(loss, loss_words(result.curves.loss, *result.target_loss), result, false));
  }
  if (!accuracy.empty()) {
    sentences.push_back(sentence(
        accuracy, fmt::format("an accuracy of {:.4g}", *result.target_accuracy), result, true));
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string certificate_text(const CurveResult& result) {
  std::string text;
  for (const CurveModel& model : result.models) {
    for (const CurveCertificate& one : model.certificates) {
      text += fmt::format("{}, ε = {:.4g}, δ = {:.4g}, of the loss cut off at 1: ", model.name,
                          one.epsilon, one.delta);
      if (!one.refused.empty()) {
        text += "no certificate: " + one.refused + "\n";
        continue;
      }
      text += fmt::format("SDL {}{} ± {} (Algorithm 1, {} draws of {} + 1 rows); ",
                          one.surplus.tight ? "" : "at least ", amount(one.surplus.value),
                          amount(one.radius), with_thousands(one.blocks),
                          with_thousands(one.most_rows));
      text +=
          one.complexity.reached
              ? fmt::format("{} rows suffice for ε (Algorithm 2, tested against ε/2 = {:.4g})\n",
                            with_thousands(one.complexity.rows), 0.5 * one.epsilon)
              : fmt::format(
                    "{} rows cannot be shown to suffice (Algorithm 2, tested against ε/2 = "
                    "{:.4g})\n",
                    with_thousands(one.complexity.rows), 0.5 * one.epsilon);
    }
  }
  return text;
}

std::vector<std::string> curve_notes(const CurveResult& result) {
  std::vector<std::string> notes;
  if (!result.journal_problem.empty()) notes.push_back(result.journal_problem);
  if (result.resumed > 0) {
    notes.push_back(fmt::format("{} of {} probes were taken from the journal of an earlier run",
                                with_thousands(result.resumed), with_thousands(result.probes)));
  }
  if (result.chose_epsilon) {
    notes.push_back(
        fmt::format("the tolerance {:.4g} was chosen from these curves (the median of their final "
                    "losses), so it "
                    "moves with the data; name `epsilon` to compare runs",
                    result.curves.epsilons.front()));
  }
  for (const CurveModel& model : result.models) {
    if (model.not_converged == 0) continue;
    notes.push_back(fmt::format("{}: {} of the probes did not converge; raise `l2`", model.name,
                                model.not_converged));
  }
  return notes;
}

}  // namespace assay
