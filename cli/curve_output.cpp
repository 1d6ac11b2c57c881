#include "curve_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/text.h"
#include "curve/curve_report.h"
#include "io/csv.h"
#include "report/screen.h"

namespace assay::cli {

void add_curve_output(CLI::App* cmd, CurveOutput& output) {
  cmd->add_option("--epsilon", output.epsilon,
                  "tolerances of SDL and sample complexity, comma-separated; from:CURVE.json takes "
                  "the loss that the best model of another result reaches (from:CURVE.json:NAME: "
                  "that model's)")
      ->type_name("E,...");
  cmd->add_option("--rule", output.rule,
                  "which loss codes the rows between two sizes: left (the paper), right (public "
                  "code), linear")
      ->check(CLI::IsMember({"left", "right", "linear"}))
      ->capture_default_str();
  cmd->add_option("--loss", output.loss, "nll, zero-one or mse (regression)")
      ->check(CLI::IsMember({"nll", "zero-one", "mse"}));
  cmd->add_option("--at", output.at,
                  "also show the measures as if the data ended at these sizes, in the paper's "
                  "layout")
      ->type_name("N,...");
  cmd->add_option("--csv", output.csv,
                  "write every measure at every size; - is stdout, without the table")
      ->check(output_file_problem)
      ->type_name("FILE");
  cmd->add_option("--latex", output.latex,
                  "write the paper's table (of --at, else of the largest size); - is stdout")
      ->check(output_file_problem)
      ->type_name("FILE");
  add_html_option(cmd, output.html);
}

std::vector<Index> parse_sizes(const std::string& option, const std::string& list) {
  std::vector<Index> sizes;
  for (const std::string& part : split_list(list)) {
    const std::optional<double> value = number_in(part);
    if (!value || !(*value >= 1.0) || *value > 1e15 ||
        *value != static_cast<double>(static_cast<Index>(*value)))
      fail_input(
          fmt::format("{}: '{}' is no count; expected a whole number of 1 or more", option, part));
    sizes.push_back(static_cast<Index>(*value));
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

namespace {

Index largest_size(const MeasuredCurves& curves) {
  Index largest = 0;
  for (const MeasuredCurve& model : curves.models)
    largest = std::max(largest, model.points.back().n);
  return largest;
}

void note_rises(const GlobalOptions& global, const MeasuredCurves& curves) {
  std::string names;
  for (const MeasuredCurve& model : curves.models) {
    if (!model.monotone) names += (names.empty() ? "" : ", ") + model.name;
  }
  if (names.empty()) return;
  warn(global, fmt::format("note: the loss rises somewhere as rows are added (non_monotone): {}; "
                           "more seeds smooth it",
                           names));
}

}  // namespace

std::vector<std::filesystem::path> outputs_of(const CurveOutput& output,
                                              const std::filesystem::path& more) {
  return {output.csv, output.latex, output.html, more};
}

bool shows_table(const CurveOutput& output, const GlobalOptions& global) {
  return !global.json_on_stdout() && output.csv != "-" && output.latex != "-";
}

void write_curves(const CurveOutput& output, const GlobalOptions& global,
                  const MeasuredCurves& curves) {
  const std::vector<Index> at =
      output.at.empty() ? std::vector<Index>{} : parse_sizes("--at", output.at);
  if (shows_table(output, global)) {
    print_text(global, curve_heading(curves) + "\n" + curve_table(curves, stdout_screen()));
    if (!at.empty()) print_text(global, "\n" + curve_blocks(curves, at, stdout_screen()));
    std::fflush(stdout);
  }
  if (!output.csv.empty()) write_text(output.csv, curve_csv(curves));
  if (!output.latex.empty()) {
    const std::vector<Index> sizes = at.empty() ? std::vector{largest_size(curves)} : at;
    write_text(output.latex, curve_latex(curves, sizes));
  }
  note_rises(global, curves);
}

}  // namespace assay::cli
