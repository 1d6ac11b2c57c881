#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "assay/digest.h"
#include "assay/error.h"
#include "core/clock.h"
#include "curve/curve_files.h"
#include "curve/curve_report.h"
#include "curve/epsilons.h"
#include "curve_output.h"

namespace assay::cli {
namespace {

struct MeasureArgs {
  std::filesystem::path curve;
  CurveOutput output;
  Index classes = 0;
  std::optional<double> chance;
};

std::optional<double> chance_of(const MeasureArgs& args, LossKind kind) {
  if (args.chance) {
    // CLI11 lets NaN and infinity pass.
    if (!std::isfinite(*args.chance)) fail_input("--chance: expected a finite loss of 0 or more");
    return args.chance;
  }
  if (kind != LossKind::mse && args.classes > 0) return chance_level(kind, args.classes);
  return std::nullopt;
}

MeasuredCurves measure(const MeasureArgs& args) {
  MeasuredCurves out;
  out.loss = args.output.loss.empty() ? LossKind::nll : loss_named(args.output.loss);
  out.rule = rule_named(args.output.rule);
  out.chance = chance_of(args, out.loss);
  if (out.rule == Rule::left && !out.chance) {
    fail_input(out.loss == LossKind::mse
                   ? "--rule left needs the loss before any row is seen: give --chance (the "
                     "variance of the targets), or use --rule right or linear"
                   : "--rule left needs --classes C: the first rows are coded at chance level; or "
                     "use --rule right or linear");
  }
  if (out.loss == LossKind::nll && args.classes > 0)
    out.label_entropy = std::log(static_cast<double>(args.classes));
  if (!args.output.epsilon.empty()) out.epsilons = parse_epsilons(args.output.epsilon);
  const MeasureOptions options{out.rule, out.chance.value_or(0.0), out.epsilons, out.label_entropy};
  for (const LossCurve& curve : read_curves(args.curve, out.loss))
    out.models.push_back(measure_curve(curve, options));
  return out;
}

// Options before `measure` are those of `curve`, which runs probes; here they would do nothing.
void refuse_options_of(const CLI::App& curve) {
  // Not count(): flags with a value of their own have one from CLI11 2.4 on, given or not.
  if (curve.parse_order().empty()) return;
  fail_input(fmt::format(
      "{} is an option of curve, which runs probes; curve measure only reads CURVE.csv (options "
      "of its own stand behind `measure`)",
      curve.parse_order().front()->get_name()));
}

Exit run_measure(const MeasureArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  check_html(args.output.html);
  check_outputs(global, outputs_of(args.output), {args.curve});
  const MeasuredCurves curves = measure(args);
  write_curves(args.output, global, curves);
  nlohmann::ordered_json json = curve_json(curves);
  json["failed"] = nlohmann::ordered_json::array();
  json["provenance"] = provenance_of(global, 1, monotonic_seconds() - started,
                                     {{args.curve, file_digest(args.curve)}});
  write_json(global, json);
  write_html(global, args.output.html, json);
  return Exit::done;
}

}  // namespace

void add_curve_measure(CLI::App& curve, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<MeasureArgs>();
  CLI::App* cmd =
      curve.add_subcommand("measure", "VA, MDL, SDL and sample complexity of an existing curve");
  cmd->add_option("curve", args->curve,
                  "CSV with columns name,seed,samples,val_loss (val_accuracy if known)")
      ->required()
      ->type_name("CURVE.csv");
  add_curve_output(cmd, args->output);
  cmd->add_option("--classes", args->classes,
                  "number of classes: chance level is ln C (1 - 1/C for zero-one loss)")
      ->check(CLI::Range(Index{2}, Index{1000000000}))
      ->type_name("C");
  cmd->add_option("--chance", args->chance, "the loss before any row is seen, instead of --classes")
      ->check(CLI::NonNegativeNumber)
      ->type_name("LOSS");
  cmd->footer(
      "Seeds are averaged. With --classes, MI is ln C minus the loss (classes equally frequent).\n"
      "Example: assay curve measure curves.csv --classes 10 --epsilon 0.5,0.1 --at 60,20000");
  cmd->callback([args, &curve, &global, &run] {
    run = [args, &curve, &global] {
      refuse_options_of(curve);
      return run_measure(*args, global);
    };
  });
}

}  // namespace assay::cli
