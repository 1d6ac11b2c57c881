#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "assay/error.h"
#include "assay/version.h"
#include "command_line.h"
#include "html_output.h"
#include "parts/merged_share.h"
#include "shares.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

struct MergeArgs {
  std::vector<fs::path> parts;
  std::string html;
  std::string csv;
  std::string out;
  bool allow_missing = false;
};

// The folder where the parts were made, so that relative names mean what they meant. On a machine
// that has no such folder the names are taken from here.
void enter_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::current_path(folder, ignored);
}

// Places that are relative to here, wherever the command then runs.
std::string from_here(const std::string& path) {
  return path.empty() || path == "-" ? path : fs::absolute(path).string();
}

// The command that the parts are of, with outputs of this one.
std::vector<std::string> words_of(const PartFile& part, const MergeArgs& args,
                                  const GlobalOptions& global) {
  std::vector<std::string> words = part.command;
  const auto give = [&](const std::string& option, const std::string& value) {
    if (value.empty()) return;
    words = without_options(words, {option});
    words.insert(words.end(), {option, value});
  };
  give("--json", from_here(global.json));
  give("--html", from_here(args.html));
  give("--csv", from_here(args.csv));
  give("--out", from_here(args.out));
  if (global.threads > 0) give("--threads", std::to_string(global.threads));
  if (global.quiet) words.emplace_back("--quiet");
  return words;
}

Exit run_merge(const MergeArgs& args, const GlobalOptions& global) {
  check_outputs(global, {args.html, args.csv, args.out}, args.parts);
  PartSet set = read_parts(args.parts, args.allow_missing);
  if (set.parts.front().version != kVersion) {
    fail_input(fmt::format("{}: made by assay {}, this is {}; merge with the same version",
                           args.parts.front().string(), set.parts.front().version, kVersion));
  }
  if (!set.missing.empty())
    warn(global, fmt::format("note: part{} {} of {} missing: the result is of the others only",
                             set.missing.size() > 1 ? "s" : "", fmt::join(set.missing, ", "),
                             set.parts.front().number.parts));
  const std::vector<std::string> words = words_of(set.parts.front(), args, global);
  enter_folder(set.parts.front().directory);
  MergedShare share(std::move(set));
  GlobalOptions inner;
  inner.command_line = global.command_line;
  inner.share = &share;
  return static_cast<Exit>(run_command_line(words, inner));
}

}  // namespace

void add_merge(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<MergeArgs>();
  CLI::App* cmd =
      app.add_subcommand("merge", "the result of work that was done in parts (--part i/N)");
  cmd->add_option("parts", args->parts, "all parts of one command, in any order: what --json wrote")
      ->required()
      ->type_name("PART...");
  cmd->add_option("--html", args->html, "the page of the result, where the command has one")
      ->check(output_file_problem)
      ->type_name("FILE");
  cmd->add_option("--csv", args->csv, "the result as CSV, where the command has that")
      ->check(output_file_problem)
      ->type_name("FILE");
  cmd->add_option("--out", args->out, "what --out of the command says, such as truth.csv")
      ->type_name("FILE");
  cmd->add_flag("--allow-missing", args->allow_missing,
                "show what there is; models of missing parts are listed as failed");
  cmd->footer(
      "The result is the one that a single run would have given, byte for byte but for the times\n"
      "it took and its provenance. Labels and the list of models are read again, features are "
      "not;\n"
      "parts that are damaged, there twice, or of other labels or options are refused by name.\n"
      "Example, on three machines that see the same files:\n"
      "  assay rank hub/ --labels y.npy --part 1/3 --json part1.json    (2/3, 3/3 elsewhere)\n"
      "  assay merge part1.json part2.json part3.json --json rank.json --html rank.html");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_merge(*args, global); }; });
}

}  // namespace assay::cli
