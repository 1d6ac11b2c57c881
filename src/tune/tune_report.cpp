#include "tune/tune_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"
#include "report/json_values.h"
#include "report/table.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

bool higher_is_better(const TuneResult& result) { return result.kind != TargetKind::regression; }

std::string tuned_text(const TuneResult& result, double value) {
  return higher_is_better(result) ? fmt::format("{:.4f}", value) : fmt::format("{:.5g}", value);
}

// In words.
std::string measure(const TuneResult& result) {
  if (result.kind == TargetKind::multi_label) return "mean average precision";
  return higher_is_better(result) ? "accuracy" : "mean squared error";
}

std::string spread_text(const TuneResult& result, const TuneSummary& summary) {
  const std::string mean = tuned_text(result, summary.mean);
  return summary.standard_error
             ? fmt::format("{} ±{}", mean, tuned_text(result, *summary.standard_error))
             : mean;
}

std::string signed_text(const TuneResult& result, double value) {
  return (value < 0.0 ? "" : "+") + tuned_text(result, value);
}

std::string difference_text(const TuneResult& result, const TuneSummary& summary) {
  if (!summary.against_finetune) return "-";
  return signed_text(result, summary.against_finetune->difference);
}

std::string interval_text(const TuneResult& result, const TuneSummary& summary) {
  if (!summary.against_finetune || !summary.against_finetune->low) return "-";
  return fmt::format("{} to {}", signed_text(result, *summary.against_finetune->low),
                     signed_text(result, *summary.against_finetune->high));
}

std::string lambda_text(const TuneSummary& summary) {
  if (summary.ratio) return fmt::format("{:.3g} (r {:.2g})", summary.lambda, *summary.ratio);
  return summary.lambda > 0.0 ? fmt::format("{:.3g}", summary.lambda) : "-";
}

std::string p_text(const TuneSummary& summary) {
  if (!summary.against_finetune || !summary.against_finetune->p) return "-";
  return fmt::format("{:.3f}", *summary.against_finetune->p);
}

std::string measured_text(const TuneResult& result) {
  return (result.tested ? "test " : "validation ") + measure(result) +
         (higher_is_better(result) ? " ↑ ±s.e." : " ↓ ±s.e.");
}

// In the words of the contract, JSON.
std::string quantity(const TuneResult& result) {
  if (result.kind == TargetKind::multi_label) return "average_precision";
  return higher_is_better(result) ? "accuracy" : "mse";
}

std::optional<double> shown(const std::optional<Quality>& quality) {
  if (!quality) return std::nullopt;
  return quality->accuracy ? quality->accuracy : quality->loss;
}

Json epoch_entry(const TuneResult& result, const TuneRun& run, const EpochRecord& epoch) {
  const bool bayesian = run.method == TuneMethod::b_tuning;
  const std::optional<double> penalty =
      run.lambda > 0.0 ? std::optional(epoch.penalty) : std::nullopt;
  // lambda |dpenalty| / |dtask| with respect to the features: how hard the penalty pulls.
  Json ratio = nullptr;
  if (run.lambda > 0.0 && epoch.task_gradient > 0.0)
    ratio = run.lambda * epoch.penalty_gradient / epoch.task_gradient;
  return {{"epoch", epoch.epoch},
          {"train_loss", epoch.train_loss},
          {"task_loss", epoch.task_loss},
          {"penalty", or_null(penalty)},
          {"bayes_loss", or_null(bayesian ? penalty : std::nullopt)},
          {"gradient_ratio", ratio},
          {"validation_" + quantity(result), or_null(shown(epoch.validation))},
          {"seconds", epoch.seconds}};
}

Json run_entry(const TuneResult& result, const TuneRun& run) {
  Json entry = {{"method", method_name(run.method)},
                {"teachers", run.teachers.empty() ? Json(nullptr) : Json(run.teachers)},
                {"seed", run.seed},
                {"learning_rate", run.rate},
                {"weight_decay", run.decay},
                {"lambda", run.lambda},
                {"r", or_null(run.ratio)},
                {"epochs", Json::array()},
                {"resumed_from", run.training.resumed_from},
                {"test_" + quantity(result), or_null(shown(run.test))},
                {"seconds", run.seconds}};
  for (const EpochRecord& epoch : run.training.epochs)
    entry["epochs"].push_back(epoch_entry(result, run, epoch));
  if (!run.file.empty()) entry["file"] = run.file.string();
  return entry;
}

Json summary_entry(const TuneSummary& summary) {
  Json entry = {{"method", method_name(summary.method)},
                {"teachers", summary.teachers.empty() ? Json(nullptr) : Json(summary.teachers)},
                {"runs", summary.values},
                {"mean", summary.mean},
                {"sd", or_null(summary.sd)},
                {"standard_error", or_null(summary.standard_error)},
                {"lambda", summary.lambda},
                {"r", or_null(summary.ratio)},
                {"seconds_per_epoch", summary.seconds_per_epoch},
                {"against_finetune", nullptr}};
  if (summary.against_finetune) {
    const PairedTest& test = *summary.against_finetune;
    entry["against_finetune"] = {{"pairs", test.pairs},        {"difference", test.difference},
                                 {"sd", or_null(test.sd)},     {"low", or_null(test.low)},
                                 {"high", or_null(test.high)}, {"p", or_null(test.p)}};
  }
  return entry;
}

Json set_entry(const WeightedSet& set) {
  Json members = Json::array();
  for (std::size_t k = 0; k < set.names.size(); ++k)
    members.push_back({{"name", set.names[k]}, {"weight", set.weights[k]}});
  return {{"label", set.label}, {"teachers", members}};
}

}  // namespace

std::string tune_table(const TuneResult& result, const Screen& screen) {
  TextTable table;
  table.add_column("method", Align::left);
  table.add_column("teachers", Align::left);
  table.add_column("λ", Align::right);
  table.add_column(measured_text(result), Align::right);
  table.add_column("over finetune", Align::right);
  table.add_column("95 % of it", Align::right);
  table.add_column("p", Align::right);
  table.add_column("runs", Align::right);
  table.add_column("s/epoch", Align::right);
  for (const TuneSummary& summary : result.summaries) {
    table.add_row({method_name(summary.method), summary.teachers.empty() ? "-" : summary.teachers,
                   lambda_text(summary), spread_text(result, summary),
                   difference_text(result, summary), interval_text(result, summary),
                   p_text(summary), std::to_string(summary.values.size()),
                   fmt::format("{:.2f}", summary.seconds_per_epoch)});
  }
  return table.str(screen);
}

std::string tune_verdict(const TuneResult& result) {
  if (result.summaries.empty()) return {};
  const auto better = [&](const TuneSummary& a, const TuneSummary& b) {
    return higher_is_better(result) ? a.mean > b.mean : a.mean < b.mean;
  };
  const TuneSummary& best =
      *std::min_element(result.summaries.begin(), result.summaries.end(), better);
  std::string text = fmt::format(
      "{}{} gives {} its best {} {}: {}", method_name(best.method),
      best.teachers.empty() ? "" : fmt::format(" with {}", best.teachers), result.target,
      result.tested ? "test" : "validation", measure(result), spread_text(result, best));
  if (result.summaries.size() == 1)
    text = fmt::format("{} by {}{}: {} {} {}", result.target, method_name(best.method),
                       best.teachers.empty() ? "" : fmt::format(" with {}", best.teachers),
                       result.tested ? "test" : "validation", measure(result),
                       spread_text(result, best));
  if (best.against_finetune) {
    text += fmt::format(", {} over fine-tuning", difference_text(result, best));
    constexpr double usual_level = 0.05;
    if (best.against_finetune->p) {
      text += fmt::format(" (paired test over {} seeds: p = {}{})", best.against_finetune->pairs,
                          p_text(best),
                          *best.against_finetune->p < usual_level ? "" : ", may be chance");
    } else {
      text += " (one seed: no test; add `runs` 5)";
    }
  }
  text += ".";
  for (const TuneSummary& one : result.summaries) {
    if (one.ratio == 0.0)
      text += fmt::format(
          " For {}{} the search took r = 0: on rows held back no weight of what it adds was better "
          "than none.",
          method_name(one.method), one.teachers.empty() ? "" : " with " + one.teachers);
  }
  return text;
}

Json tune_json(const TuneResult& result) {
  Json json = {{"command", "tune"},
               {"dataset", result.dataset},
               {"target", result.target},
               {"quantity", quantity(result)},
               {"measured_on", result.tested ? "test" : "validation"},
               {"verdict", tune_verdict(result)},
               {"train", result.train},
               {"validation", result.validation},
               {"test", result.test},
               {"held_back_while_searching", result.searched_validation},
               {"epochs", result.epochs},
               {"ranking", Json::array()},
               {"teacher_sets", Json::array()},
               {"teacher_seconds", result.teacher_seconds},
               {"summary", Json::array()},
               {"runs", Json::array()},
               {"searched", Json::array()},
               {"notes", result.notes},
               {"failed", Json::array()}};
  for (const RankedNetwork& one : result.ranking)
    json["ranking"].push_back({{"name", one.name}, {"logme", one.logme}, {"dim", one.dim}});
  for (const WeightedSet& set : result.teacher_sets) json["teacher_sets"].push_back(set_entry(set));
  for (const TuneSummary& one : result.summaries) json["summary"].push_back(summary_entry(one));
  for (const TuneRun& run : result.runs) json["runs"].push_back(run_entry(result, run));
  for (const TuneRun& run : result.searched) json["searched"].push_back(run_entry(result, run));
  for (const FailedModel& one : result.failed)
    json["failed"].push_back({{"name", one.name}, {"error", one.error}});
  return json;
}

}  // namespace assay
