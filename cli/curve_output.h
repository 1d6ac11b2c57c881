#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "curve/measures.h"
#include "html_output.h"

namespace assay::cli {

// Options that `curve` and `curve measure` share: what is measured of a curve and where it goes.
struct CurveOutput {
  std::string epsilon;
  std::string rule = "left";
  std::string loss;  // empty: by the targets
  std::string at;
  std::filesystem::path csv;
  std::filesystem::path latex;
  std::filesystem::path html;
};

void add_curve_output(CLI::App* cmd, CurveOutput& output);

// Every file that curves are written to; `more` may be one.
std::vector<std::filesystem::path> outputs_of(const CurveOutput& output,
                                              const std::filesystem::path& more = {});

// Whether stdout is for people: neither JSON nor CSV nor LaTeX goes there.
bool shows_table(const CurveOutput& output, const GlobalOptions& global);

// Positive integers of a list, e.g. of --at.
std::vector<Index> parse_sizes(const std::string& option, const std::string& list);

// The table on stdout (unless JSON goes there), CSV and LaTeX to their files, notes on stderr.
void write_curves(const CurveOutput& output, const GlobalOptions& global,
                  const MeasuredCurves& curves);

// `assay curve measure CURVE.csv`.
void add_curve_measure(CLI::App& curve, const GlobalOptions& global, Run& run);

}  // namespace assay::cli
