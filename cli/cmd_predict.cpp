#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "assay/digest.h"
#include "assay/predict.h"
#include "assay/progress.h"
#include "common.h"
#include "report/csv_cell.h"
#include "report/screen.h"
#include "report/table.h"

namespace assay::cli {
namespace {

struct PredictArgs {
  PredictRequest request;
  std::filesystem::path out;
};

constexpr Index kPreview = 10;

// Classes: the likeliest one with its mean and spread; otherwise every column.
std::vector<Index> shown_columns(const PredictResult& result, Index row) {
  if (!result.best.empty()) return {result.best[static_cast<std::size_t>(row)]};
  std::vector<Index> all;
  for (Index c = 0; c < result.prediction.mean.cols(); ++c) all.push_back(c);
  return all;
}

void print_preview(const GlobalOptions& global, const PredictResult& result) {
  TextTable table;
  table.add_column("row", Align::right);
  table.add_column(result.best.empty() ? "target" : "class", Align::left);
  table.add_column("mean", Align::right);
  table.add_column("sd", Align::right);
  const Index rows = result.prediction.mean.rows();
  for (Index row = 0; row < std::min(rows, kPreview); ++row) {
    for (const Index c : shown_columns(result, row)) {
      table.add_row({std::to_string(row), result.columns[static_cast<std::size_t>(c)],
                     fmt::format("{:.4f}", result.prediction.mean(row, c)),
                     fmt::format("{:.4f}", std::sqrt(result.prediction.variance(row, c)))});
    }
  }
  print_text(global, table.str(stdout_screen()));
  if (rows > kPreview)
    show("... {} rows in all; --out FILE.csv or --json FILE for the rest\n", rows);
}

void print_anchors(const PredictResult& result) {
  if (result.anchors.empty()) return;
  TextTable table;
  table.add_column(result.best.empty() ? "target" : "class", Align::left);
  table.add_column("nearest rows of the vocabulary (cosine)", Align::left);
  for (std::size_t c = 0; c < result.anchors.size(); ++c) {
    std::string cell;
    for (const Anchor& anchor : result.anchors[c])
      cell += fmt::format("{}{} ({:.3f})", cell.empty() ? "" : ", ", anchor.row, anchor.cosine);
    table.add_row({result.columns[c], cell.empty() ? "-" : cell});
  }
  show("\n{}", table.str());
}

std::string predictions_csv(const PredictResult& result) {
  std::string text = "row,column,mean,sd\n";
  for (Index row = 0; row < result.prediction.mean.rows(); ++row) {
    for (const Index c : shown_columns(result, row)) {
      text += fmt::format(
          "{},{},{},{}\n", row, csv_cell(result.columns[static_cast<std::size_t>(c)]),
          result.prediction.mean(row, c), std::sqrt(result.prediction.variance(row, c)));
    }
  }
  return text;
}

nlohmann::ordered_json predictions_json(const PredictResult& result) {
  nlohmann::ordered_json json;
  json["columns"] = result.columns;
  json["predictions"] = nlohmann::ordered_json::array();
  for (Index row = 0; row < result.prediction.mean.rows(); ++row) {
    nlohmann::ordered_json entry = {{"row", row}};
    if (!result.best.empty()) {
      entry["class"] =
          result.columns[static_cast<std::size_t>(result.best[static_cast<std::size_t>(row)])];
    }
    const Vector mean = result.prediction.mean.row(row);
    const Vector variance = result.prediction.variance.row(row);
    entry["mean"] = std::vector<double>(mean.begin(), mean.end());
    entry["variance"] = std::vector<double>(variance.begin(), variance.end());
    json["predictions"].push_back(std::move(entry));
  }
  if (result.anchors.empty()) return json;
  json["anchors"] = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < result.anchors.size(); ++c) {
    nlohmann::ordered_json nearest = nlohmann::ordered_json::array();
    for (const Anchor& anchor : result.anchors[c])
      nearest.push_back({{"row", anchor.row}, {"cosine", anchor.cosine}});
    json["anchors"].push_back({{"column", result.columns[c]}, {"nearest", nearest}});
  }
  return json;
}

Exit run_predict(const PredictArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  PredictRequest request = args.request;
  request.memory_limit = global.memory_bytes();
  check_outputs(global, {args.out},
                {request.features, request.fit_features, request.labels, request.anchors});
  ThreadPool pool(global.threads);
  const PredictResult result = predict_features(pool, request);
  if (!global.json_on_stdout() && args.out != "-") {
    print_preview(global, result);
    print_anchors(result);
  }
  if (!args.out.empty()) write_text(args.out, predictions_csv(result));
  if (global.json.empty()) return Exit::done;
  nlohmann::ordered_json json = predictions_json(result);
  std::vector<FileDigest> inputs;
  for (const std::filesystem::path& file :
       {request.features, request.fit_features, request.labels}) {
    inputs.push_back({file, file_digest(file)});
  }
  if (!request.anchors.empty()) inputs.push_back({request.anchors, file_digest(request.anchors)});
  json["provenance"] = provenance_json(
      {global.command_line, global.seed, pool.threads(), monotonic_seconds() - started}, inputs);
  write_json(global, json);
  return Exit::done;
}

}  // namespace

void add_predict(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<PredictArgs>();
  CLI::App* cmd = app.add_subcommand(
      "predict", "predict labels by LogME's posterior predictive distribution, without training");
  cmd->add_option("features", args->request.features, "features to predict for")
      ->required()
      ->type_name("FILE");
  cmd->add_option("--fit", args->request.fit_features,
                  "features with known labels, from the same model")
      ->required()
      ->type_name("FILE");
  cmd->add_option("--labels", args->request.labels, "labels of the --fit features")
      ->required()
      ->type_name("FILE");
  cmd->add_option(
         "--anchors", args->request.anchors,
         "embeddings in the space of the features; lists those nearest to the weights m of "
         "each class")
      ->type_name("VOCABULARY");
  cmd->add_option("--nearest", args->request.nearest, "how many anchors to list")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("K");
  cmd->add_option(
         "--out", args->out,
         "write every prediction as CSV: row, class or target, mean, sd; - is stdout, without "
         "the preview")
      ->check(output_file_problem)
      ->type_name("FILE");
  cmd->footer(
      "Each class is a regression target of 0 and 1: its mean is near 1 where the model is sure of "
      "the class;\n"
      "sd counts the uncertainty of the weights and the noise.\n"
      "Example: assay predict test.npy --fit train.npy --labels train_labels.npy --out "
      "predictions.csv");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_predict(*args, global); }; });
}

}  // namespace assay::cli
