#include "evaluate/truth_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "report/csv_cell.h"
#include "report/table.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::vector<const MeasuredModel*> most_accurate_first(const TruthResult& result) {
  std::vector<const MeasuredModel*> order;
  for (const MeasuredModel& model : result.models) order.push_back(&model);
  std::stable_sort(order.begin(), order.end(), [](const MeasuredModel* a, const MeasuredModel* b) {
    return a->mean() > b->mean();
  });
  return order;
}

// Of the better of two protocols.
bool names_protocols(const TruthResult& result) {
  return std::ranges::any_of(result.models,
                             [](const MeasuredModel& model) { return !model.protocol.empty(); });
}

}  // namespace

std::string truth_csv(const TruthResult& result) {
  const bool best = names_protocols(result);
  std::string text = "name,accuracy,accuracy_sd,runs,train,test,dim";
  text += best ? ",protocol\n" : "\n";
  for (const MeasuredModel* model : most_accurate_first(result)) {
    text += fmt::format("{},{},{},{},{},{},{}", csv_cell(model->name), model->mean(),
                        model->sd() ? fmt::format("{}", *model->sd()) : "",
                        model->accuracies.size(), model->train, model->test, model->dim);
    text += best ? "," + model->protocol + "\n" : "\n";
  }
  return text;
}

std::string truth_table(const TruthResult& result, const Screen& screen) {
  TextTable table;
  table.add_column("model", Align::left);
  table.add_column(result.unit + " ↑", Align::right);
  table.add_column("sd over runs", Align::right);
  table.add_column("train rows", Align::right);
  table.add_column("test rows", Align::right);
  table.add_column("D", Align::right);
  const bool best = names_protocols(result);
  if (best) table.add_column("by", Align::left);
  for (const MeasuredModel* model : most_accurate_first(result)) {
    std::vector<std::string> cells = {model->name,
                                      fmt::format("{:.4f}", model->mean()),
                                      model->sd() ? fmt::format("{:.4f}", *model->sd()) : "-",
                                      with_thousands(model->train),
                                      with_thousands(model->test),
                                      with_thousands(model->dim)};
    if (best) cells.push_back(model->protocol);
    table.add_row(std::move(cells));
  }
  return table.str(screen);
}

nlohmann::ordered_json truth_json(const TruthResult& result, const std::string& protocol) {
  Json json;
  json["command"] = "truth";
  json["protocol"] = protocol;
  json["unit"] = result.unit;
  json["models"] = Json::array();
  for (const MeasuredModel* model : most_accurate_first(result)) {
    json["models"].push_back({{"name", model->name},
                              {"accuracy", model->mean()},
                              {"accuracy_sd", model->sd() ? Json(*model->sd()) : Json()},
                              {"runs", model->accuracies},
                              {"train", model->train},
                              {"test", model->test},
                              {"dim", model->dim}});
    if (!model->protocol.empty()) json["models"].back()["protocol"] = model->protocol;
  }
  json["failed"] = Json::array();
  for (const FailedModel& failed : result.failed)
    json["failed"].push_back({{"name", failed.name}, {"error", failed.error}});
  return json;
}

}  // namespace assay
