#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "assay/digest.h"
#include "assay/predict.h"
#include "common.h"
#include "core/clock.h"
#include "predict/predict_report.h"
#include "report/screen.h"

namespace assay::cli {
namespace {

struct PredictArgs {
  PredictRequest request;
  std::string center = "auto";
  std::filesystem::path out;
};

constexpr Index kPreview = 10;  // rows shown

Exit run_predict(const PredictArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  PredictRequest request = args.request;
  request.memory_limit = global.memory_bytes();
  check_outputs(global, {args.out},
                {request.features, request.fit_features, request.labels, request.anchors,
                 request.words, request.test_labels});
  if (args.center != "auto") request.center = args.center == "yes";
  ThreadPool pool(global.threads);
  const PredictResult result = predict_features(pool, request);
  if (!global.json_on_stdout() && args.out != "-") {
    print_text(global, predictions_table(result, kPreview, stdout_screen()));
    if (const Index rows = result.prediction.mean.rows(); rows > kPreview)
      show("... {} rows in all; --out FILE.csv or --json FILE for the rest\n", rows);
    if (!result.anchors.empty()) show("\n{}", anchors_table(result));
    if (result.quality) show("\n{}\n", quality_text(result));
  }
  for (const std::string& note : predict_notes(result)) warn(global, "note: " + note);
  if (!args.out.empty()) write_text(args.out, predictions_csv(result));
  if (global.json.empty()) return Exit::done;
  nlohmann::ordered_json json = predictions_json(result);
  std::vector<FileDigest> inputs;
  for (const std::filesystem::path& file :
       {request.features, request.fit_features, request.labels}) {
    inputs.push_back({file, file_digest(file)});
  }
  for (const std::filesystem::path& file : {request.anchors, request.words, request.test_labels})
    if (!file.empty()) inputs.push_back({file, file_digest(file)});
  json["provenance"] = provenance_of(global, pool.threads(), monotonic_seconds() - started, inputs);
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
  cmd->add_option("--words", args->request.words, "names of the --anchors, one a line")
      ->type_name("FILE.txt");
  cmd->add_option("--test-labels", args->request.test_labels,
                  "labels of the features predicted for: says how right the predictions are")
      ->type_name("FILE");
  cmd->add_option(
         "--center", args->center,
         "features and targets about their means; auto: numbers and several labels per row")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->capture_default_str();
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
