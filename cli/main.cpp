#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "assay/error.h"
#include "assay/version.h"
#include "common.h"
#include "core/blas_kernel.h"
#include "core/machine.h"
#include "core/memory.h"
#include "help_format.h"
#include "io/bus_guard.h"
#include "io/hdf5_worker.h"
#include "usage_message.h"

// OpenBLAS starts a thread per core when it is loaded; they spin, and we never use them. Weak:
// builds of it without threads of their own do not have the second symbol.
extern "C" void openblas_set_num_threads(int threads);
extern "C" __attribute__((weak)) int blas_thread_shutdown_(void);

namespace {

using assay::cli::Exit;
using assay::cli::GlobalOptions;
using assay::cli::Run;

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
      ->check(assay::cli::output_file_problem)
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
  app.add_flag("--quiet", global.quiet, "no progress, notes or warnings on stderr");
}

// What is still in the buffer may not fit any more.
void require_stdout_written() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  assay::fail_input("standard output cannot be written to: the result is not complete");
}

int run_guarded(const GlobalOptions& global, const Run& run) {
  using assay::cli::complain;
  try {
    const Exit code = run();
    require_stdout_written();
    return static_cast<int>(code);
  } catch (const assay::Error& error) {
    complain("assay: error: {}\n", in_options(global, error.what()));
  } catch (const std::bad_alloc&) {
    complain("assay: error: out of memory; lower --memory-limit or --threads\n");
  } catch (const std::exception& error) {
    complain("assay: error: {}\n", error.what());
  }
  return static_cast<int>(Exit::bad_input);
}

}  // namespace

// `--center` of `rank` may stand alone, where it means yes: the option parser would take the next
// word for its value. (`prior` has an option of this name that always has one.)
std::vector<std::string> with_bare_center(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
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
      assay::cli::complain("assay: '{0}' was taken for an option; for the file write ./{0}\n",
                           word);
  }
}

// What a library must not do, and a program should: mapped files that shrink are reported, and
// a limit on file sizes makes writing fail instead of ending the process half-way.
void prepare_process() {
  assay::guard_mapped_files();
  std::signal(SIGXFSZ, SIG_IGN);
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (!unknown) assay::use_hdf5_worker(self);
}

// Starts the program anew where OpenBLAS does not know this processor and fell back to kernels that
// are several times slower. Before anything else: it costs a few milliseconds, once.
void choose_blas_kernel(char** argv) {
  const auto kernel = assay::better_blas_kernel();
  if (!kernel || setenv("OPENBLAS_CORETYPE", std::string(*kernel).c_str(), 1) != 0) return;
  execv("/proc/self/exe", argv);  // where that fails, the slow kernels are right as well
}

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--hdf5-worker")
    return assay::serve_hdf5(argv[2], argv[3]);
  choose_blas_kernel(argv);
  prepare_process();
  assay::prepare_heap();
  openblas_set_num_threads(1);
  if (blas_thread_shutdown_ != nullptr) blas_thread_shutdown_();
  GlobalOptions global;
  global.command_line.assign(argv, argv + argc);
  Run run;
  CLI::App app("assay - which pre-trained model should you use for your data?", "assay");
  app.set_version_flag("-V,--version", fmt::format("assay {}", assay::kVersion));
  app.require_subcommand(1);
  app.fallthrough();
  app.formatter(std::make_shared<assay::cli::HelpFormat>(assay::cli::help_width()));
  const std::vector<std::string> words = with_bare_center(argc, argv);
  app.failure_message([&words](const CLI::App* at, const CLI::Error& error) {
    return assay::cli::usage_message(*at, words, error);
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
  assay::cli::add_rank(app, global, run);
  assay::cli::add_evaluate(app, global, run);
  assay::cli::add_truth(app, global, run);
  assay::cli::add_curve(app, global, run);
  assay::cli::add_tune(app, global, run);
  assay::cli::add_track(app, global, run);
  assay::cli::add_similar(app, global, run);
  assay::cli::add_robust(app, global, run);
  assay::cli::add_report(app, global, run);
  assay::cli::add_predict(app, global, run);
  assay::cli::add_prior(app, global, run);
  assay::cli::add_extract(app, global, run);
  assay::cli::add_cache(app, global, run);
  assay::cli::add_hub(app, global, run);
  assay::cli::add_metrics(app, global, run);
  assay::cli::add_doctor(app, global, run);
  assay::cli::add_config(app, global, run);
  assay::cli::add_help(app, run);
  assay::cli::collect_option_names(app, global.option_names);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as the parser takes them
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    if (code != 0) hint_at_dashes(words);
    return code == 0 ? 0 : static_cast<int>(Exit::bad_input);
  }
  return run_guarded(global, [&] {
    assay::cli::apply_settings(app, global);
    assay::limit_reading(global.memory_bytes());
    return run();
  });
}
