#include "search_options.h"

#include "assay/error.h"
#include "core/clock.h"
#include "finish.h"
#include "html_output.h"
#include "report/screen.h"
#include "report/table.h"
#include "search/search_report.h"
#include "terminal_progress.h"

namespace assay::cli {

void add_search_options(CLI::App* cmd, SearchArgs& args) {
  cmd->add_option("--budget", args.budget,
                  "find the best few without scoring everything (a race): 25% of a full run, "
                  "5000-images through all networks together (rows of files), or a time: 90s, "
                  "30min, 2h; --by says by which metric (ridge_loo)")
      ->type_name("BUDGET");
  cmd->add_option("--top", args.top, "with --budget: how many models to find (3)")
      ->check(CLI::Range(Index{1}, Index{1} << 30))
      ->type_name("K");
  cmd->add_option("--prior-ranking", args.prior_ranking,
                  "with --budget: a CSV of name and number (upstream accuracy, downloads, a rank "
                  "turned round; higher is better): who is tried first. A wrong one costs budget, "
                  "not correctness")
      ->type_name("FILE");
}

void require_budget(const SearchArgs& args) {
  if (!args.budget.empty()) return;
  if (args.top > 0) fail_input("--top is for a search: add --budget, such as --budget 25%");
  if (!args.prior_ranking.empty())
    fail_input("--prior-ranking is for a search: add --budget, such as --budget 25%");
}

Exit run_search(SearchRequest request, const SearchArgs& args, const SearchOutputs& outputs,
                const GlobalOptions& global) {
  const double started = monotonic_seconds();
  request.budget = parse_budget(args.budget);
  if (args.top > 0) request.top = args.top;
  check_html(outputs.html);
  std::vector<std::filesystem::path> files = outputs.inputs;
  files.insert(files.end(), {request.rank.labels, request.data.data, request.prior_ranking});
  check_outputs(global, {outputs.csv, outputs.html}, files);
  ThreadPool pool(global.threads);
  SearchResult result;
  {
    TerminalProgress progress(global.quiet, LivePage(global, outputs.html));
    result = search_hub(pool, request, progress.callback());
  }
  if (!global.json_on_stdout() && outputs.csv != "-") {
    print_text(global, search_heading(result) + "\n" + search_table(result, stdout_screen()) +
                           "\n" + wrap(search_verdict(result), terminal_width()));
    std::fflush(stdout);
  }
  if (!outputs.csv.empty()) write_text(outputs.csv, search_csv(result));
  return finish(global, pool, started,
                {search_json(result), result.notes, result.failed, result.inputs, outputs.html});
}

}  // namespace assay::cli
