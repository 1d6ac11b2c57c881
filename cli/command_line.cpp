#include "command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>

#include "assay/error.h"
#include "assay/version.h"
#include "assay/work_share.h"
#include "core/machine.h"
#include "core/memory.h"
#include "help_format.h"
#include "shares.h"
#include "usage_message.h"

namespace assay::cli {
namespace {

// The option parser takes -1 and numbers beyond the range for the largest one.
std::string seed_problem(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (status == std::errc{} && end == text.data() + text.size()) return {};
  return fmt::format("'{}' is not a whole number from 0 to 18446744073709551615", text);
}

void add_global_options(CLI::App& app, GlobalOptions& global) {
  app.add_option("--json", global.json,
                 "write the full result as JSON to FILE, or '-' for stdout (no table then)")
      ->check(output_file_problem)
      ->type_name("FILE|-");
  app.add_option("--threads", global.threads,
                 "threads to use; results do not depend on it (default: all cores)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  app.add_option("--seed", global.seed, "seed of everything random")
      ->check(seed_problem)
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--memory-limit", global.memory_limit,
                 "stay below this, e.g. 2GiB (default: half the memory, at most 4GiB)")
      ->type_name("SIZE");
  app.add_option("--part", global.part,
                 "do the i-th of N equal shares of the work; --json FILE is then a part, and "
                 "`assay merge` makes the result of all parts")
      ->type_name("i/N");
  app.add_flag("--quiet", global.quiet, "no progress, notes or warnings on stderr");
}

// What is still in the buffer may not fit any more.
void require_stdout_written() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  fail_input("standard output cannot be written to: the result is not complete");
}

int failed(const GlobalOptions& global, const std::string& message) {
  complain("assay: error: {}\n", message);
  if (global.share != nullptr) global.share->failed(message);
  return static_cast<int>(Exit::bad_input);
}

int run_guarded(const GlobalOptions& global, const Run& run) {
  try {
    const Exit code = run();
    require_stdout_written();
    return static_cast<int>(code);
  } catch (const ShareDone& done) {
    for (const std::string& line : done.failed)
      complain("assay: error: {}\n", in_options(global, line));
    return static_cast<int>(done.failed.empty() ? Exit::done : Exit::failed_on_the_way);
  } catch (const Error& error) {
    return failed(global, in_options(global, error.what()));
  } catch (const std::bad_alloc&) {
    return failed(global, "out of memory; lower --memory-limit or --threads");
  } catch (const std::exception& error) {
    return failed(global, error.what());
  }
}

// `--center` of `rank` may stand alone, where it means yes: the option parser would take the next
// word for its value. (`prior` has an option of this name that always has one.)
std::vector<std::string> with_bare_center(std::vector<std::string> words) {
  if (std::find(words.begin(), words.end(), "rank") == words.end()) return words;
  const auto at = std::find(words.begin(), words.end(), "--center");
  if (at == words.end()) return words;
  const auto next = std::next(at);
  const bool valued = next != words.end() && (*next == "auto" || *next == "yes" || *next == "no");
  if (!valued) words.insert(next, "yes");
  return words;
}

// A file whose name begins with a dash is taken for an option, and the message then speaks of
// something else.
void hint_at_dashes(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    std::error_code ignored;
    if (word.size() > 1 && word.starts_with('-') && std::filesystem::exists(word, ignored))
      complain("assay: '{0}' was taken for an option; for the file write ./{0}\n", word);
  }
}

// "prior score": what was asked for.
std::string command_asked_for(const CLI::App& app) {
  std::string name;
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    name += (name.empty() ? "" : " ") + at->get_name();
  }
  return name;
}

// Each of several processes on a machine takes its share of the processors and of the memory.
void divide_machine(GlobalOptions& global) {
  if (global.local_ranks == 1) return;
  if (global.threads > 0) {
    global.threads = std::max(1, global.threads / global.local_ranks);
  } else if (!global.bound) {
    global.threads = std::max(1, usable_processors() / global.local_ranks);
  }
  const Index half = usable_memory() / 2 / global.local_ranks;
  const Index bytes = global.memory_limit.empty() ? std::min(half, default_memory_limit())
                                                  : global.memory_bytes() / global.local_ranks;
  global.memory_limit = std::to_string(bytes);
}

// `own`: what is opened here stays for who handles an error.
Exit run_shared(const CLI::App& app, GlobalOptions& global, const Run& run,
                std::unique_ptr<WorkShare>& own) {
  apply_settings(app, global);
  divide_machine(global);
  limit_reading(global.memory_bytes());
  const std::string command = command_asked_for(app);
  if (global.share == nullptr) {
    own = open_share(global, command);
    global.share = own.get();
    return run();
  }
  if (!global.part.empty())
    fail_input(
        "`part` is for processes that know nothing of each other; under mpirun leave it out");
  if (!is_shared(command)) global.share->alone();
  return run();
}

}  // namespace

int run_command_line(const std::vector<std::string>& given, GlobalOptions& global) {
  Run run;
  CLI::App app("assay - which pre-trained model should you use for your data?", "assay");
  app.set_version_flag("-V,--version", fmt::format("assay {}", kVersion));
  app.require_subcommand(1);
  app.fallthrough();
  app.formatter(std::make_shared<HelpFormat>(help_width()));
  const std::vector<std::string> words = with_bare_center(given);
  app.failure_message([&words](const CLI::App* at, const CLI::Error& error) {
    return usage_message(*at, words, error);
  });
  app.footer(
      "Examples:\n"
      "  assay rank hub/ --labels labels.npy            rank every model of a hub\n"
      "  assay rank a.npy b.npy --labels y.csv --json - as JSON on stdout\n"
      "  assay rank hub/ --data flowers/                run its networks on images, then rank\n"
      "  assay curve hub/ --labels labels.npy --target-accuracy 0.9    how many labels?\n"
      "  assay tune hub/ --target small --teachers top:3 --data flowers/\n"
      "  assay evaluate --scores rank.json --truth truth.csv\n"
      "  assay rank hub/ --labels labels.npy --html report.html        a page to look at\n"
      "Exit code: 0 done, 1 some inputs failed and the rest was done, 2 bad usage or input.");
  add_global_options(app, global);
  add_rank(app, global, run);
  add_evaluate(app, global, run);
  add_truth(app, global, run);
  add_curve(app, global, run);
  add_tune(app, global, run);
  add_track(app, global, run);
  add_similar(app, global, run);
  add_robust(app, global, run);
  add_report(app, global, run);
  add_moments(app, global, run);
  add_merge(app, global, run);
  add_predict(app, global, run);
  add_prior(app, global, run);
  add_extract(app, global, run);
  add_cache(app, global, run);
  add_hub(app, global, run);
  add_metrics(app, global, run);
  add_doctor(app, global, run);
  add_config(app, global, run);
  add_help(app, run);
  collect_option_names(app, global.option_names);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as the parser takes them
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    if (code != 0) hint_at_dashes(words);
    return code == 0 ? 0 : static_cast<int>(Exit::bad_input);
  }
  std::unique_ptr<WorkShare> own;
  return run_guarded(global, [&] { return run_shared(app, global, run, own); });
}

}  // namespace assay::cli
