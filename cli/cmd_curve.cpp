#include <fmt/format.h>

#include <memory>
#include <system_error>

#include "assay/curve.h"
#include "assay/error.h"
#include "core/clock.h"
#include "core/text.h"
#include "curve/check_request.h"
#include "curve/curve_files.h"
#include "curve/curve_report.h"
#include "curve/epsilons.h"
#include "curve/probes.h"
#include "curve_output.h"
#include "data_options.h"
#include "finish.h"
#include "io/cache_directory.h"
#include "io/csv.h"
#include "report/table.h"
#include "shares.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

struct CurveArgs {
  CurveRequest request;
  DataRequest data;
  CurveOutput output;
  std::string probe;
  std::string sizes = "10";
  std::string hidden = "512,512";
  std::string l2 = "auto";
  std::filesystem::path curves;
  bool no_journal = false;
};

// Finished probes are kept with the other things that may be thrown away.
std::filesystem::path usual_journal(const GlobalOptions& global) {
  const std::filesystem::path base = cache_directory();
  if (base.empty()) return {};
  std::error_code failure;
  std::filesystem::create_directories(base / "curves", failure);
  if (!failure) return base / "curves";
  warn(global, fmt::format("note: {}: cannot keep a journal there ({}), so an interrupted run will "
                           "start again; name --journal DIR",
                           (base / "curves").string(), failure.message()));
  return {};
}

// A number of sizes; or the sizes, of which "500," is one.
void read_sizes(std::string text, CurveRequest& request) {
  constexpr Index most = 10000;
  const bool list = text.find(',') != std::string::npos;
  if (list && text.back() == ',') text.pop_back();
  const std::vector<Index> sizes = parse_sizes("--sizes", text);
  if (list) {
    request.sizes = sizes;
    return;
  }
  request.size_count = sizes.front();
  if (request.size_count > most) fail_input("--sizes: at most 10,000 sizes; name them to be sure");
}

void read_hidden(const std::string& text, CurveRequest& request) {
  constexpr Index widest = 65536;
  request.mlp.hidden.clear();
  for (const std::string& part : split_list(text)) {
    request.mlp.hidden.push_back(parse_sizes("--hidden", part).front());
    if (request.mlp.hidden.back() > widest) fail_input("--hidden: at most 65,536 units a layer");
  }
}

std::optional<double> parse_l2(const std::string& text) {
  if (text == "auto") return std::nullopt;
  const std::optional<double> value = number_in(text);
  if (!value)
    fail_input(fmt::format("--l2: '{}' is no penalty; expected auto or a number above 0", text));
  return value;
}

// What the probe would ignore is refused: it would look as if it had been obeyed.
void require_obeyed(const CLI::App& cmd, const CurveRequest& request) {
  const auto given = [&](const char* name) { return cmd.get_option(name)->count() > 0; };
  if (request.probe == ProbeKind::mlp && given("--l2"))
    fail_input("--l2 is for linear and ridge; mlp has --lr, --updates and --stop-loss");
  for (const char* name : {"--hidden", "--updates", "--lr", "--mlp-batch", "--stop-loss"}) {
    if (request.probe != ProbeKind::mlp && given(name))
      fail_input(fmt::format("{} is for --probe mlp", name));
  }
  if (given("--certify-rows") && !request.certify) fail_input("--certify-rows is for --certify");
  if (given("--validation-share") && given("--validation"))
    fail_input("--validation-share splits the rows; leave it out with --validation");
}

CurveRequest request_of(const CLI::App& cmd, const CurveArgs& args, const GlobalOptions& global) {
  CurveRequest request = args.request;
  if (request.inputs.empty() || (request.labels.empty() && args.data.data.empty()))
    fail_input(
        "curve needs a hub (or feature files) and --labels, or networks and --data; see `assay "
        "curve --help`");
  if (!request.labels.empty() && !args.data.data.empty())
    fail_input("--data brings its own labels; leave --labels out (it is for files of features)");
  if (!args.data.data.empty() && !request.validation_inputs.empty())
    fail_input("--validation is for features; with --data the test part of the data set is used");
  if (request.validation_inputs.empty() != request.validation_labels.empty())
    fail_input("--validation and --validation-labels go together: features and their labels");
  if (!args.probe.empty()) request.probe = probe_named(args.probe);
  if (!args.output.loss.empty()) request.loss = loss_named(args.output.loss);
  request.rule = rule_named(args.output.rule);
  if (!args.output.epsilon.empty()) request.epsilons = parse_epsilons(args.output.epsilon);
  read_sizes(args.sizes, request);
  read_hidden(args.hidden, request);
  request.l2 = parse_l2(args.l2);
  require_obeyed(cmd, request);
  check_request(request);  // before networks run for minutes
  if (args.no_journal) {
    request.journal.clear();
  } else if (request.journal.empty()) {
    request.journal = usual_journal(global);
  }
  request.seed = global.seed;
  request.memory_limit = global.memory_bytes();
  request.share = global.share;
  return request;
}

void print_answers(const GlobalOptions& global, const CurveResult& result) {
  const std::string certificates = certificate_text(result);
  const std::string answer = curve_answer(result);
  if (!certificates.empty()) print_text(global, "\n" + certificates);
  if (!answer.empty()) print_text(global, "\n" + wrap(answer, terminal_width()));
  std::fflush(stdout);
}

bool all_certified(const CurveResult& result) {
  for (const CurveModel& model : result.models) {
    for (const CurveCertificate& one : model.certificates) {
      if (!one.refused.empty()) return false;
    }
  }
  return true;
}

Exit run_curve(const CLI::App& cmd, const CurveArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  CurveRequest request = request_of(cmd, args, global);
  check_html(args.output.html);
  std::vector<std::filesystem::path> inputs = request.inputs;
  inputs.insert(inputs.end(), request.validation_inputs.begin(), request.validation_inputs.end());
  inputs.insert(inputs.end(),
                {request.labels, request.groups, request.validation_labels, args.data.data});
  check_outputs(global, outputs_of(args.output, args.curves), inputs);
  ThreadPool pool(global.threads);
  if (!args.data.data.empty()) {
    refuse_part(global, kRunNetworksFirst);
    ExtractedParts parts = run_networks(pool, request.inputs, args.data, global);
    request.hub = std::move(parts.train.hub);
    // Without a test part the rows are split as they always are.
    if (parts.test) request.validation_hub = std::move(parts.test->hub);
  }
  CurveResult result;
  {
    TerminalProgress progress(global.quiet, LivePage(global, args.output.html));
    result = curve_hub(pool, request, progress.callback());
  }
  write_curves(args.output, global, result.curves);
  if (shows_table(args.output, global)) print_answers(global, result);
  if (!args.curves.empty()) {
    std::vector<LossCurve> curves;
    for (const CurveModel& model : result.models) curves.push_back(model.curve);
    write_text(args.curves, runs_csv(curves));
  }
  const Exit exit = finish(global, pool, started,
                           {curve_hub_json(result), curve_notes(result), result.failed,
                            result.inputs, args.output.html});
  return all_certified(result) ? exit : Exit::failed_on_the_way;
}

void add_data(CLI::App* cmd, CurveArgs& args) {
  cmd->add_option("hub", args.request.inputs,
                  "features: a hub directory or files; networks with --data")
      ->type_name("HUB|FILE...");
  add_data_options(cmd, args.data);
  cmd->add_option("--labels", args.request.labels, "one class or number per row")
      ->type_name("FILE");
  cmd->add_option("--validation", args.request.validation_inputs,
                  "validation features of the same models, by the same names (default: split the "
                  "rows)")
      ->type_name("HUB|FILE...");
  cmd->add_option("--validation-labels", args.request.validation_labels, "their labels")
      ->type_name("FILE");
  cmd->add_option("--validation-share", args.request.validation_share,
                  "share of the rows that each seed judges by when there are no validation "
                  "features; drawn anew for every seed, stratified")
      ->check(CLI::Range(0.01, 0.99))
      ->capture_default_str();
  cmd->add_option("--groups", args.request.groups,
                  "one id per row (a sentence's words, a patient's scans): rows of a group stay "
                  "together in splits and intervals")
      ->type_name("FILE");
}

void add_probe(CLI::App* cmd, CurveArgs& args) {
  cmd->add_option("--probe", args.probe,
                  "linear (logistic regression), mlp (2 x 512, Adam) or ridge (for numbers)")
      ->check(CLI::IsMember({"linear", "mlp", "ridge"}));
  cmd->add_option("--sizes", args.sizes,
                  "how many sizes, log-uniform from 10 rows to all; or the sizes, comma-separated")
      ->capture_default_str()
      ->type_name("N|N,N,...");
  cmd->add_option("--seeds", args.request.seeds,
                  "random splits and orders of the rows, one curve each")
      ->check(CLI::Range(Index{1}, Index{10000}))
      ->capture_default_str();
  cmd->add_option(
         "--l2", args.l2,
         "linear and ridge: the loss summed over rows + L2/2 |weights|^2; auto chooses it for "
         "every probe by its training rows alone")
      ->capture_default_str()
      ->type_name("auto|L2");
  cmd->add_option("--hidden", args.hidden, "mlp: widths of the hidden layers")
      ->capture_default_str()
      ->type_name("N,...");
  cmd->add_option("--updates", args.request.mlp.updates, "mlp: updates at every size")
      ->check(CLI::Range(Index{1}, Index{100000000}))
      ->capture_default_str();
  cmd->add_option("--lr", args.request.mlp.adam.rate, "mlp: learning rate of Adam")
      ->capture_default_str()
      ->type_name("RATE");
  cmd->add_option("--mlp-batch", args.request.mlp.batch, "mlp: rows of an update")
      ->check(CLI::Range(Index{1}, Index{1000000}))
      ->capture_default_str();
  cmd->add_option("--stop-loss", args.request.mlp.stop_loss,
                  "mlp: stop when the training loss over the last 100 updates is below this (0: "
                  "never)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

void add_questions(CLI::App* cmd, CurveArgs& args) {
  cmd->add_flag("--refine{3}", args.request.refine_levels,
                "look closer where the loss falls to a tolerance: ten sizes in between, again and "
                "again until one hundredth (at most 3 rounds, or --refine=ROUNDS)");
  cmd->add_option("--certify", args.request.certify,
                  "guarantees at confidence 1 - DELTA for the tolerances, from independent draws")
      ->type_name("DELTA");
  cmd->add_option("--certify-rows", args.request.certify_rows,
                  "rows of a draw (default: what half the tolerance takes, as measured)")
      ->check(CLI::Range(Index{2}, Index{1000000000}))
      ->type_name("M");
  cmd->add_option("--target-loss", args.request.target_loss,
                  "how many labels does this loss take? answered in words, beyond the data too")
      ->type_name("LOSS");
  cmd->add_option("--target-accuracy", args.request.target_accuracy,
                  "how many labels does this accuracy take?")
      ->type_name("SHARE");
}

void add_files(CLI::App* cmd, CurveArgs& args) {
  cmd->add_option("--curves", args.curves,
                  "write the loss of every probe, as `curve measure` reads it")
      ->type_name("FILE");
  cmd->add_option("--export-subsets", args.request.export_subsets,
                  "write sizes, seeds and row numbers, for a learner of your own")
      ->type_name("DIR");
  CLI::Option* journal =
      cmd->add_option("--journal", args.request.journal,
                      "keep finished probes here (default: $ASSAY_CACHE/curves); an interrupted "
                      "run goes on, more seeds and sizes add to it")
          ->type_name("DIR");
  cmd->add_flag("--no-journal", args.no_journal, "keep nothing")->excludes(journal);
}

}  // namespace

void add_curve(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<CurveArgs>();
  CLI::App* cmd = app.add_subcommand(
      "curve", "loss-data curves: how many labels does each representation need?");
  add_data(cmd, *args);
  add_probe(cmd, *args);
  add_curve_output(cmd, args->output);
  add_questions(cmd, *args);
  add_files(cmd, *args);
  add_curve_measure(*cmd, global, run);
  cmd->footer(
      "VA: loss with all rows. MDL: nats to transmit the labels. SDL: the part of it above the "
      "tolerance.\n"
      "εSC: rows until the loss is within the tolerance. > marks lower bounds: more rows would "
      "tell.\n"
      "Example: assay curve hub/ --labels labels.npy --target-accuracy 0.9\n"
      "         assay curve measure curves.csv --classes 10 --epsilon 0.5,0.1");
  cmd->callback([args, cmd, &global, &run] {
    if (!cmd->get_subcommands().empty()) return;
    run = [args, cmd, &global] { return run_curve(*cmd, *args, global); };
  });
}

}  // namespace assay::cli
