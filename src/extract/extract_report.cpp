#include "extract/extract_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "report/table.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

double images_per_second(const ExtractedModel& model) {
  return model.seconds > 0.0 ? static_cast<double>(model.computed) / model.seconds : 0.0;
}

// Hours, then days: "5 h", "12 d".
std::string age_text(double days) {
  constexpr double hours = 24.0;
  return days < 2.0 ? fmt::format("{:.0f} h", hours * days) : fmt::format("{:.0f} d", days);
}

}  // namespace

std::string extract_table(const ExtractedHub& extracted, const Screen& screen) {
  TextTable table;
  table.add_column("model", Align::left, Keep::always);
  table.add_column("output", Align::left);
  table.add_column("rows", Align::right);
  table.add_column("D", Align::right);
  table.add_column("source classes", Align::right);
  table.add_column("ms/image", Align::right);
  table.add_column("params", Align::right);
  table.add_column("size", Align::right);
  table.add_column("images/s", Align::right);
  for (const ExtractedModel& model : extracted.result.models) {
    for (const ExtractedOutput& output : model.outputs) {
      table.add_row(
          {model.name, output.name, with_thousands(output.rows), with_thousands(output.dim),
           model.probabilities ? with_thousands(model.probabilities->dim) : "-",
           fmt::format("{:.2f}", model.cost.latency_ms),
           model.cost.params > 0 ? with_thousands(model.cost.params) : "-",
           human_bytes(model.cost.bytes),
           model.computed > 0 ? fmt::format("{:.0f}", images_per_second(model)) : "cached"});
    }
  }
  return table.str(screen);
}

Json extract_json(const ExtractedHub& extracted, Index views) {
  Json json;
  json["command"] = "extract";
  json["dataset"] = extracted.dataset;
  json["images"] = extracted.images;
  json["images_digest"] = extracted.result.images.digest;
  json["views"] = views;
  json["models"] = Json::array();
  for (const ExtractedModel& model : extracted.result.models) {
    for (const ExtractedOutput& output : model.outputs) {
      Json files = Json::array();
      for (const std::filesystem::path& shard : output.shards) files.push_back(shard.string());
      json["models"].push_back(
          {{"name", model.name},
           {"output", output.name},
           {"n", output.rows},
           {"dim", output.dim},
           {"source_classes", model.probabilities ? Json(model.probabilities->dim) : Json(nullptr)},
           {"latency_ms", model.cost.latency_ms},
           {"params", model.cost.params > 0 ? Json(model.cost.params) : Json(nullptr)},
           {"size_bytes", static_cast<Index>(model.cost.bytes)},
           {"computed", model.computed},
           {"images_per_second",
            model.computed > 0 ? Json(images_per_second(model)) : Json(nullptr)},
           {"rebuilt_shards", model.rebuilt},
           {"files", files}});
    }
  }
  json["failed"] = Json::array();
  for (const FailedModel& failed : extracted.result.failed)
    json["failed"].push_back({{"name", failed.name}, {"error", failed.error}});
  json["notes"] = extracted.result.notes;
  return json;
}

std::string cache_table(const std::vector<CachedEntry>& entries, const Screen& screen) {
  TextTable table;
  table.add_column("entry", Align::left, Keep::always);
  table.add_column("model", Align::left, Keep::always);
  table.add_column("data set", Align::left);
  table.add_column("outputs", Align::left);
  table.add_column("rows", Align::right);
  table.add_column("D", Align::right);
  table.add_column("size", Align::right);
  table.add_column("last used", Align::right);
  constexpr std::size_t shown_digits = 8;
  for (const CachedEntry& entry : entries) {
    table.add_row(
        {entry.key.substr(0, shown_digits), entry.model.empty() ? "(not readable)" : entry.model,
         entry.dataset,
         fmt::format("{}{}", fmt::join(entry.outputs, ", "), entry.complete ? "" : " (unfinished)"),
         with_thousands(entry.rows), with_thousands(entry.dim), human_bytes(entry.bytes),
         age_text(entry.age_days)});
  }
  return table.str(screen);
}

Json cache_json(const std::vector<CachedEntry>& entries) {
  Json json = Json::array();
  for (const CachedEntry& entry : entries) {
    json.push_back({{"key", entry.key},
                    {"name", entry.model},
                    {"dataset", entry.dataset},
                    {"outputs", entry.outputs},
                    {"n", entry.rows},
                    {"dim", entry.dim},
                    {"complete", entry.complete},
                    {"bytes", static_cast<Index>(entry.bytes)},
                    {"age_days", entry.age_days}});
  }
  return json;
}

}  // namespace assay
