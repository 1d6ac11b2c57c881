#include <algorithm>
#include <cmath>

#include "curve/curve_cells.h"
#include "curve/curve_report.h"

namespace assay {
namespace {

struct Need {
  const std::string* name;
  const LabelsNeeded* needed;
};

// Two digits say all that such an estimate knows.
std::string rough_count(double rows) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(rows)) - 1.0));
  return with_thousands(std::llround(std::round(rows / unit) * unit));
}

std::string range_of(const LabelsNeeded& needed) {
  if (!needed.low || !needed.high) return "";
  return fmt::format(" [{}-{}{}]", rough_count(*needed.low), rough_count(*needed.high),
                     needed.high_is_bound ? " or more" : "");
}

std::string labels_of(const LabelsNeeded& needed) {
  if (needed.upper_bound)
    return fmt::format("{} labels or fewer", with_thousands(std::llround(needed.rows)));
  return fmt::format("about {} labels{}", rough_count(needed.rows), range_of(needed));
}

std::string loss_words(LossKind kind, double value) {
  if (kind == LossKind::nll) return fmt::format("a loss of {:.4g} nats", value);
  return kind == LossKind::zero_one ? fmt::format("an error rate of {:.4g}", value)
                                    : fmt::format("a squared error of {:.4g}", value);
}

std::string sentence(std::vector<Need> needs, const std::string& target) {
  std::ranges::stable_sort(needs, {}, [](const Need& need) {
    return std::pair(need.needed->lower_bound, need.needed->rows);
  });
  const Need& best = needs.front();
  if (best.needed->lower_bound) {
    return fmt::format("No model reaches {} with the {} labels there are.", target,
                       with_thousands(std::llround(best.needed->rows)));
  }
  std::string text =
      fmt::format("{} needs {} to reach {}", *best.name, labels_of(*best.needed), target);
  if (needs.size() < 2) return text + ".";
  const Need& second = needs[1];
  if (second.needed->lower_bound) {
    return text + fmt::format("; no other model does with {}.",
                              with_thousands(std::llround(second.needed->rows)));
  }
  const std::string needed = second.needed->upper_bound
                                 ? labels_of(*second.needed)
                                 : rough_count(second.needed->rows) + range_of(*second.needed);
  return text + fmt::format("; the runner-up, {}, needs {}.", *second.name, needed);
}

}  // namespace

std::string curve_answer(const CurveResult& result) {
  std::vector<Need> loss;
  std::vector<Need> accuracy;
  for (const CurveModel& model : result.models) {
    if (model.for_loss) loss.push_back({&model.name, &*model.for_loss});
    if (model.for_accuracy) accuracy.push_back({&model.name, &*model.for_accuracy});
  }
  std::vector<std::string> sentences;
  if (!loss.empty()) {
    sentences.push_back(sentence(loss, loss_words(result.curves.loss, *result.target_loss)));
  }
  if (!accuracy.empty()) {
    sentences.push_back(
        sentence(accuracy, fmt::format("an accuracy of {:.4g}", *result.target_accuracy)));
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string certificate_text(const CurveResult& result) {
  std::string text;
  for (const CurveModel& model : result.models) {
    for (const CurveCertificate& one : model.certificates) {
      text += fmt::format("{}, ε = {:.4g}, δ = {:.4g}: ", model.name, one.epsilon, one.delta);
      if (!one.refused.empty()) {
        text += "no certificate: " + one.refused + "\n";
        continue;
      }
      text += fmt::format("SDL {}{} ± {} (Algorithm 1, {} draws of {} + 1 rows); ",
                          one.surplus.tight ? "" : "at least ", amount(one.surplus.value),
                          amount(one.radius), with_thousands(one.blocks),
                          with_thousands(one.most_rows));
      text += one.complexity.reached
                  ? fmt::format("{} rows suffice (Algorithm 2, tested against ε/2 = {:.4g})\n",
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
  for (const CurveModel& model : result.models) {
    if (model.not_converged == 0) continue;
    notes.push_back(fmt::format("{}: {} of the probes did not converge; raise `l2`", model.name,
                                model.not_converged));
  }
  return notes;
}

}  // namespace assay
