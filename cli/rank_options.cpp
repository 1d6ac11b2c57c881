#include "rank_options.h"

#include "data/subsample.h"
#include "html_output.h"

namespace assay::cli {
namespace {

void add_inputs(CLI::App* cmd, RankArgs& args) {
  cmd->add_option("hub", args.inputs,
                  "a hub directory (NAME.npy|npz|h5|safetensors, NAME.00000.npy... shards, "
                  "NAME/features.*), "
                  "feature files, networks with --data, or several of these")
      ->type_name("HUB|FILE...");
  cmd->add_option("--moments", args.moments,
                  "in place of features and labels: files that `assay moments` wrote, those of one "
                  "model added up; for logme, hscore and hscore_shrunk")
      ->type_name("FILE.am...");
  cmd->add_flag("--allow-missing", args.allow_missing,
                "with --moments: rank although some rows are in no file");
  add_data_options(cmd, args.data);
  cmd->add_option("--labels", args.labels,
                  "one label per row: integers or text = classes, floats = regression, 2-D 0/1 = "
                  "multi-label "
                  "(.npy .npz .h5 .csv .txt)")
      ->type_name("FILE");
  cmd->add_flag("--soft-labels", args.soft_labels,
                "the labels are rows of probabilities, one column per class (2-D floats that sum "
                "to 1), not numbers to predict: for logme, leep, pactran_dirichlet and "
                "pactran_gamma; others see them as numbers");
}

void add_accuracy(CLI::App* cmd, RankArgs& args) {
  cmd->add_flag(
      "--accuracy", args.accuracy,
      "also predict the test accuracy of a tuned linear probe trained on all rows (R2 for "
      "numbers, average precision for several labels per row), as the first column");
  cmd->add_option("--test-rows", args.test_rows,
                  "rows of the test set the prediction will be compared with: its interval then "
                  "covers what is measured there")
      ->check(CLI::Range(Index{1}, Index{1} << 40))
      ->type_name("N");
}

void add_pactran(CLI::App* cmd, RankArgs& args) {
  constexpr const char* group = "PACTran (as the paper has it unless given)";
  cmd->add_option("--pactran-alpha", args.pactran.alpha,
                  "the Dirichlet and Gamma priors are this times the share of each class [1]")
      ->type_name("X")
      ->group(group);
  cmd->add_option("--pactran-beta", args.pactran.beta,
                  "pactran_gauss: beta, in units of the number of rows N [10]")
      ->type_name("X")
      ->group(group);
  cmd->add_option("--pactran-sigma2", args.pactran.sigma0_sq,
                  "pactran_gauss: sigma0^2, in units of 1 / D [100]")
      ->type_name("X")
      ->group(group);
  cmd->add_option("--pactran-lambda", args.pactran.lambda,
                  "lambda of the bounds in units of N; Dirichlet and Gamma [1]. The Gaussian's is "
                  "beta / sigma0^2: with one of the two given it decides the other, alone sigma0^2")
      ->type_name("X")
      ->group(group);
  cmd->add_flag("--source-weights", args.source_weights,
                "probs.* hold non-negative weights of the source classes that need not sum to 1; "
                "for pactran_gamma")
      ->group(group);
}

void add_outputs(CLI::App* cmd, RankArgs& args) {
  cmd->add_option("--truth", args.truth,
                  "CSV of measured accuracies (name,accuracy): also evaluate the ranking")
      ->type_name("FILE");
  cmd->add_flag("--fixed-points", args.fixed_points,
                "with logme: also how its iteration behaves for each class (in the JSON; --html "
                "shows it)");
  cmd->add_option("--csv", args.csv, "write the ranking as CSV; - is stdout, without the table")
      ->check(output_file_problem)
      ->type_name("FILE");
  add_html_option(cmd, args.html);
}

void add_choices(CLI::App* cmd, RankArgs& args) {
  cmd->add_option(
         "--metric", args.metric,
         "metrics, comma-separated, or 'all', or 'default' (logme, ridge_loo, knn, ncc_loo, "
         "ordered by their consensus); see `assay metrics`")
      ->capture_default_str()
      ->type_name("LIST");
  cmd->add_option("--by", args.by,
                  "order by this metric or by 'consensus' (default: the consensus of the default "
                  "metrics, or the first "
                  "metric named)")
      ->type_name("METRIC");
  cmd->add_option("--ci", args.ci,
                  "confidence level of score intervals, ranges and separations, such as "
                  "0.95 or 95; 0 = none")
      ->transform(CLI::Validator(read_confidence, ""))
      ->capture_default_str()
      ->type_name("LEVEL");
  cmd->add_option("--groups", args.groups,
                  "one group id per row; folds keep a group (a sentence's tokens, a video's "
                  "frames) together")
      ->type_name("FILE");
  cmd->add_option("--center", args.center,
                  "centre features and targets, i.e. fit an intercept (logme); linear, laplace and "
                  "pactran_gauss then see centred features. auto: for numbers and several labels "
                  "per row, not for classes; no: the paper's letter; bare: yes")
      ->check(CLI::IsMember({"auto", "yes", "no"}).description(""))
      ->capture_default_str()
      ->type_name("auto|yes|no");
  cmd->add_flag("--controls", args.controls,
                "also score pure noise, and the winner with permuted labels: what nothing looks "
                "like");
  cmd->add_option("--subsample", args.subsample,
                  "score several small stratified draws instead: 5/class:10 (rows per class : "
                  "draws) or 200:10 (rows : draws); means and spread. With --data only images that "
                  "are drawn go through the networks")
      ->type_name("N[/class]:DRAWS");
  cmd->add_option("--jackknife", args.jackknife,
                  "where intervals come from: closed = what every row (or group) adds, without a "
                  "second fit; refit = scores without each of 20 folds")
      ->check(CLI::IsMember({"closed", "refit"}).description(""))
      ->capture_default_str()
      ->type_name("closed|refit");
  cmd->add_option("--knn-exact-rows", args.knn_exact_rows,
                  "up to N rows knn looks up the neighbours of every one; beyond, those of N^2 / "
                  "rows of them among all, the same work, and gives its standard error")
      ->check(CLI::Range(Index{1000}, Index{1} << 40))
      ->capture_default_str()
      ->type_name("N");
  cmd->add_flag("--refit", args.refit,
                "intervals also for metrics that must be fitted again without each fold (slow)");
}

}  // namespace

void add_rank_options(CLI::App* cmd, RankArgs& args) {
  add_inputs(cmd, args);
  add_choices(cmd, args);
  add_accuracy(cmd, args);
  add_pactran(cmd, args);
  add_search_options(cmd, args.search);
  add_requirement_options(cmd, args.require);
  add_outputs(cmd, args);
}

RankRequest rank_request(const RankArgs& args, const GlobalOptions& global) {
  RankRequest request;
  request.inputs = args.inputs;
  request.labels = args.labels;
  request.soft_labels = args.soft_labels;
  request.source_weights = args.source_weights;
  request.pactran = args.pactran;
  request.groups = args.groups;
  request.hub.models = args.models;
  choose_metrics(request, args.metric, args.by);
  if (args.accuracy) show_accuracy_first(request);
  request.test_rows = args.test_rows;
  request.knn_exact_rows = args.knn_exact_rows;
  request.level = args.ci;
  if (args.center != "auto") request.center = args.center == "yes";
  request.controls = args.controls;
  request.refit = args.refit;
  if (args.jackknife == "refit") request.jackknife = Jackknife::refit;
  request.fixed_points = args.fixed_points || !args.html.empty();
  if (!args.subsample.empty()) {
    request.subsample = parse_subsample(args.subsample);
    request.level = 0.0;
  }
  request.seed = global.seed;
  request.memory_limit = global.memory_bytes();
  request.share = global.share;
  return request;
}

}  // namespace assay::cli
