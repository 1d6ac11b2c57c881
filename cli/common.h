#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assay/types.h"
#include "assay/work_share.h"
#include "report/provenance.h"
#include "settings.h"

namespace assay::cli {

// Options that every command understands, before or after its own.
struct GlobalOptions {
  std::string json;  // empty: none, "-": stdout
  int threads = 0;   // 0: one per core
  std::uint64_t seed = 0;
  std::string memory_limit;
  std::string part;  // "i/N", or empty
  bool quiet = false;
  std::vector<std::string> command_line;
  std::set<std::string> option_names;  // without dashes: what in_options looks for
  std::vector<Setting> settings;       // what is in force, and since where
  WorkShare* share = nullptr;          // who does the work; null: this process alone
  bool follows = false;                // a rank that computes its share and shows nothing
  int local_ranks = 1;                 // processes that share this machine
  bool bound = false;                  // to some of its processors, by the launcher

  bool json_on_stdout() const { return json == "-"; }
  Index memory_bytes() const;
};

// What a command leaves: the exit code of the contract.
enum class Exit : int { done = 0, failed_on_the_way = 1, bad_input = 2 };

// Each command parses into a struct of its own and is run after parsing succeeded.
using Run = std::function<Exit()>;
void add_rank(CLI::App& app, const GlobalOptions& global, Run& run);
void add_evaluate(CLI::App& app, const GlobalOptions& global, Run& run);
void add_predict(CLI::App& app, const GlobalOptions& global, Run& run);
void add_prior(CLI::App& app, const GlobalOptions& global, Run& run);
void add_hub(CLI::App& app, const GlobalOptions& global, Run& run);
void add_hub_list(CLI::App& hub, const GlobalOptions& global, Run& run);
void add_similar(CLI::App& app, const GlobalOptions& global, Run& run);
void add_metrics(CLI::App& app, const GlobalOptions& global, Run& run);
void add_robust_probe(CLI::App& robust, const GlobalOptions& global, Run& run);
void add_robust(CLI::App& app, const GlobalOptions& global, Run& run);
void add_extract(CLI::App& app, const GlobalOptions& global, Run& run);
void add_cache(CLI::App& app, const GlobalOptions& global, Run& run);
void add_truth(CLI::App& app, const GlobalOptions& global, Run& run);
void add_report(CLI::App& app, const GlobalOptions& global, Run& run);
void add_moments(CLI::App& app, const GlobalOptions& global, Run& run);
void add_merge(CLI::App& app, const GlobalOptions& global, Run& run);
void add_curve(CLI::App& app, const GlobalOptions& global, Run& run);
void add_tune(CLI::App& app, const GlobalOptions& global, Run& run);
void add_track(CLI::App& app, const GlobalOptions& global, Run& run);
void add_config(CLI::App& app, const GlobalOptions& global, Run& run);
void add_doctor(CLI::App& app, const GlobalOptions& global, Run& run);
void add_help(CLI::App& app, Run& run);  // help, version, completion, man

// The library names fields of requests, `memory_limit`, because its callers are programs too;
// people who typed a command are shown the option, --memory-limit.
std::string in_options(const GlobalOptions& global, const std::string& text);

// All options of a command and its subcommands, as in_options wants them.
void collect_option_names(const CLI::App& app, std::set<std::string>& names);

// Where a result comes from, with the settings that a file or the environment gave.
nlohmann::ordered_json provenance_of(const GlobalOptions& global, int threads, double seconds,
                                     const std::vector<FileDigest>& inputs);

// Takes what the command line leaves open from the file of settings. Throws Error when that holds
// something that is none.
void apply_settings(const CLI::App& app, GlobalOptions& global);

// Prints to stdout what the library wrote for people, with in_options.
void print_text(const GlobalOptions& global, const std::string& text);

// Writes the result where --json says, if anywhere.
void write_json(const GlobalOptions& global, const nlohmann::ordered_json& result);

// Empty when a file can be made there, else what is wrong: a check for options that name one, so
// that nobody learns of a missing folder after an hour's work.
std::string output_file_problem(const std::string& path);

// What people read, on stdout and stderr: nothing in a name or message is obeyed by the terminal.
void show_text(std::FILE* stream, const std::string& text);
template <typename... Values>
void show(fmt::format_string<Values...> format, Values&&... values) {
  show_text(stdout, fmt::format(format, std::forward<Values>(values)...));
}
template <typename... Values>
void complain(fmt::format_string<Values...> format, Values&&... values) {
  show_text(stderr, fmt::format(format, std::forward<Values>(values)...));
}

// Writes text to a file, or to stdout where the path is "-".
void write_text(const std::filesystem::path& path, const std::string& text);

// For use before any work: throws Error when one of the outputs (--json is one) is one of the
// inputs, or a file of a hub among them (features or hub.json), and when two of them want stdout.
void check_outputs(const GlobalOptions& global, std::vector<std::filesystem::path> outputs,
                   const std::vector<std::filesystem::path>& inputs);

// A line on stderr, unless --quiet.
void warn(const GlobalOptions& global, const std::string& message);

// For options that take a confidence level: 95 means 95 %, i.e. 0.95; 1 could be either and is
// refused.
std::string read_confidence(std::string& text);

// "0,0.5" as numbers. Throws Error, naming the option and what it takes, for anything else.
std::vector<double> numbers_in(const std::string& list, const std::string& option,
                               const std::string& expected);

}  // namespace assay::cli
