#include <algorithm>
#include <tuple>
#include <utility>

#include "curve/curve_cells.h"
#include "curve/curve_report.h"
#include "report/csv_cell.h"
#include "report/json_values.h"
#include "report/table.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

void add_range(Json& json, const std::optional<Range>& range, const std::string& prefix) {
  if (!range) return;
  json[prefix + "low"] = range->low;
  json[prefix + "high"] = range->high;
}

Json tolerance_json(const std::vector<ToleranceMeasure>& measures) {
  Json json = Json::array();
  for (const ToleranceMeasure& measure : measures) {
    json.push_back({{"epsilon", measure.epsilon},
                    {"value", measure.value},
                    {"lower_bound", measure.lower_bound},
                    {"sd", or_null(measure.sd)}});
    add_range(json.back(), measure.range, "");
    if (measure.high_is_bound) json.back()["high_is_bound"] = true;
  }
  return json;
}

Json measures_json(const Measures& measures) {
  Json json = {{"n", measures.n},
               {"va", measures.va},
               {"va_sd", or_null(measures.va_sd)},
               {"mi", or_null(measures.mi)},
               {"mdl", measures.mdl},
               {"mdl_sd", or_null(measures.mdl_sd)},
               {"sdl", tolerance_json(measures.sdl)},
               {"esc", tolerance_json(measures.esc)}};
  add_range(json, measures.va_range, "va_");
  add_range(json, measures.mdl_range, "mdl_");
  return json;
}

Json model_json(const MeasuredCurve& model) {
  Json json = {{"name", model.name}, {"curve", Json::array()}};
  for (const CurvePoint& point : model.points) {
    json["curve"].push_back({{"n", point.n},
                             {"loss", point.loss},
                             {"loss_sd", or_null(point.loss_sd)},
                             {"accuracy", or_null(point.accuracy)},
                             {"seeds", point.seeds}});
    add_range(json["curve"].back(), point.loss_range, "loss_");
  }
  json.update(measures_json(model.at.back()));
  json["flags"] = Json::array();
  if (!model.monotone) json["flags"].push_back("non_monotone");
  json["measures"] = Json::array();
  for (const Measures& measures : model.at) json["measures"].push_back(measures_json(measures));
  return json;
}

// Those that reach the first tolerance come first, then the smaller surplus.
std::vector<const MeasuredCurve*> best_first(const MeasuredCurves& curves) {
  std::vector<const MeasuredCurve*> order;
  for (const MeasuredCurve& model : curves.models) order.push_back(&model);
  const auto key = [&](const MeasuredCurve* model) {
    const Measures& last = model->at.back();
    if (curves.epsilons.empty()) return std::tuple(false, last.va);
    return std::tuple(last.sdl.front().lower_bound, last.sdl.front().value);
  };
  std::ranges::stable_sort(order, {}, key);
  return order;
}

std::string share_cell(const std::optional<double>& accuracy) {
  return accuracy ? fmt::format("{:.4f}", *accuracy) : "-";
}

Index most_seeds(const MeasuredCurves& curves) {
  Index most = 0;
  for (const MeasuredCurve& model : curves.models) {
    for (const CurvePoint& point : model.points) most = std::max(most, point.seeds);
  }
  return most;
}

bool has_ranges(const MeasuredCurves& curves) {
  return std::ranges::any_of(curves.models, [](const MeasuredCurve& model) {
    return model.at.back().va_range.has_value();
  });
}

}  // namespace

std::string curve_heading(const MeasuredCurves& curves) {
  Index sizes = 0;
  Index largest = 0;
  for (const MeasuredCurve& model : curves.models) {
    sizes = std::max(sizes, static_cast<Index>(model.points.size()));
    largest = std::max(largest, model.points.back().n);
  }
  const Index seeds = most_seeds(curves);
  return fmt::format(
      "{} curve{}, {} size{} up to {} rows, {} seed{}; loss in {}, areas by the {} rule; {}, > a "
      "lower bound\n",
      curves.models.size(), curves.models.size() == 1 ? "" : "s", sizes, sizes == 1 ? "" : "s",
      with_thousands(largest), seeds, seeds == 1 ? "" : "s", unit_of(curves.loss),
      rule_name(curves.rule),
      has_ranges(curves) ? "[ ] are 95 % intervals" : "± is the spread over seeds");
}

std::string curve_table(const MeasuredCurves& curves, const Screen& screen) {
  TextTable table;
  table.add_column("model", Align::left, Keep::always);
  for (const char* title : {"n", "loss ↓ (VA)", "accuracy ↑", "MI ≥ ↑", "MDL ↓"})
    table.add_column(title, Align::right);
  for (const double epsilon : curves.epsilons) {
    table.add_column(fmt::format("SDL(ε={:.4g}) ↓", epsilon), Align::right, Keep::first);
    table.add_column(fmt::format("εSC(ε={:.4g}) ↓", epsilon), Align::right, Keep::first);
  }
  table.add_column("flags", Align::left);
  Tone tone = Tone::strong;  // the first
  for (const MeasuredCurve* model : best_first(curves)) {
    const Measures& last = model->at.back();
    std::vector<std::string> cells = {model->name,
                                      with_thousands(last.n),
                                      with_spread(last.va, last.va_sd, last.va_range),
                                      share_cell(model->points.back().accuracy),
                                      last.mi ? amount(*last.mi) : "-",
                                      with_spread(last.mdl, last.mdl_sd, last.mdl_range)};
    for (std::size_t k = 0; k < curves.epsilons.size(); ++k) {
      cells.push_back(surplus_cell(last.sdl[k]));
      cells.push_back(complexity_cell(last.esc[k]));
    }
    cells.emplace_back(model->monotone ? "" : "non_monotone");
    table.add_row(std::move(cells), std::exchange(tone, Tone::plain));
  }
  return table.str(screen);
}

std::string curve_csv(const MeasuredCurves& curves) {
  std::string text = "name,n,loss,loss_sd,accuracy,mi,mdl,mdl_sd";
  for (const double epsilon : curves.epsilons) {
    text += fmt::format(",sdl_{0},sdl_{0}_lower_bound,esc_{0},esc_{0}_lower_bound", epsilon);
  }
  text += "\n";
  const auto cell = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (const MeasuredCurve& model : curves.models) {
    for (std::size_t k = 0; k < model.at.size(); ++k) {
      const Measures& at = model.at[k];
      text +=
          fmt::format("{},{},{},{},{},{},{},{}", csv_cell(model.name), at.n, at.va, cell(at.va_sd),
                      cell(model.points[k].accuracy), cell(at.mi), at.mdl, cell(at.mdl_sd));
      for (std::size_t e = 0; e < curves.epsilons.size(); ++e) {
        text += fmt::format(",{},{},{},{}", at.sdl[e].value, at.sdl[e].lower_bound, at.esc[e].value,
                            at.esc[e].lower_bound);
      }
      text += "\n";
    }
  }
  return text;
}

std::string runs_csv(std::span<const LossCurve> curves) {
  std::string text = "name,seed,samples,val_loss,val_accuracy\n";
  for (const LossCurve& curve : curves) {
    for (const ProbeRun& run : curve.runs) {
      text += fmt::format("{},{},{},{},{}\n", csv_cell(curve.name), run.seed, run.n, run.loss,
                          run.accuracy ? fmt::format("{}", *run.accuracy) : "");
    }
  }
  return text;
}

Json curve_json(const MeasuredCurves& curves) {
  Json json = {{"command", "curve"},
               {"loss", loss_name(curves.loss)},
               {"rule", rule_name(curves.rule)},
               {"chance", or_null(curves.chance)},
               {"label_entropy", or_null(curves.label_entropy)},
               {"epsilon", curves.epsilons},
               {"models", Json::array()}};
  for (const MeasuredCurve& model : curves.models) json["models"].push_back(model_json(model));
  return json;
}

}  // namespace assay
