#include <algorithm>

#include "curve/curve_cells.h"
#include "curve/curve_report.h"
#include "report/table.h"

namespace assay {
namespace {

struct Line {
  std::string title;
  std::vector<std::string> cells;  // one per model
};

const Measures& measures_at(const MeasuredCurve& model, Index size) {
  const auto found =
      std::ranges::find_if(model.at, [&](const Measures& at) { return at.n >= size; });
  return found == model.at.end() ? model.at.back() : *found;
}

// The measures of the models at a size, in the words of the caller's format.
std::vector<Line> lines_at(const MeasuredCurves& curves, Index size, const std::string& epsilon) {
  std::vector<Line> lines = {{"n", {}}, {"Val loss", {}}, {"MDL", {}}};
  for (const double e : curves.epsilons)
    lines.push_back({fmt::format("SDL, {}={:.4g}", epsilon, e), {}});
  for (const double e : curves.epsilons)
    lines.push_back({fmt::format("{0}SC, {0}={1:.4g}", epsilon, e), {}});
  for (const MeasuredCurve& model : curves.models) {
    const Measures& at = measures_at(model, size);
    std::size_t line = 0;
    lines[line++].cells.push_back(with_thousands(at.n));
    lines[line++].cells.push_back(amount(at.va));
    lines[line++].cells.push_back(amount(at.mdl));
    for (const ToleranceMeasure& sdl : at.sdl) lines[line++].cells.push_back(surplus_cell(sdl));
    for (const ToleranceMeasure& esc : at.esc) lines[line++].cells.push_back(complexity_cell(esc));
  }
  return lines;
}

std::string latex_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) {
      out += '\\';
      out += c;
    } else if (c == '\\') {
      out += "\\textbackslash{}";
    } else if (c == '~' || c == '^') {
      out += fmt::format("\\{}{{}}", c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string latex_cell(const std::string& cell) {
  return cell.starts_with("> ") ? fmt::format("$>$ {}", cell.substr(2)) : cell;
}

}  // namespace

std::string curve_blocks(const MeasuredCurves& curves, std::span<const Index> sizes,
                         const Screen& screen) {
  TextTable table;
  table.add_column("rows", Align::right, Keep::always);
  table.add_column("measure", Align::left, Keep::always);
  for (const MeasuredCurve& model : curves.models) table.add_column(model.name, Align::right);
  for (const Index size : sizes) {
    std::string first = with_thousands(size);
    for (Line& line : lines_at(curves, size, "ε")) {
      std::vector<std::string> cells = {first, line.title};
      cells.insert(cells.end(), line.cells.begin(), line.cells.end());
      table.add_row(std::move(cells));
      first.clear();
    }
  }
  return table.str(screen);
}

std::string curve_latex(const MeasuredCurves& curves, std::span<const Index> sizes) {
  std::string text = fmt::format("\\begin{{tabular}}{{ll{}}}\n\\toprule\n & ",
                                 std::string(curves.models.size(), 'r'));
  for (const MeasuredCurve& model : curves.models) text += " & " + latex_text(model.name);
  text += " \\\\\n";
  for (const Index size : sizes) {
    std::string first = fmt::format("{}", size);
    text += "\\midrule\n";
    for (const Line& line : lines_at(curves, size, "$\\varepsilon$")) {
      text += fmt::format("{} & {}", first, line.title);
      for (const std::string& cell : line.cells) text += " & " + latex_cell(cell);
      text += " \\\\\n";
      first.clear();
    }
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace assay
