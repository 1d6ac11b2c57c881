#include "finish.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/clock.h"
#include "html_output.h"
#include "report/provenance.h"

namespace assay::cli {

void print_failed(const GlobalOptions& global, const std::vector<FailedModel>& failed) {
  for (const FailedModel& model : failed) {
    complain("assay: error: model '{}' left out: {}\n", model.name,
             in_options(global, model.error));
  }
}

Exit finish(const GlobalOptions& global, const ThreadPool& pool, double started, Outcome outcome) {
  std::fflush(stdout);  // the table stands before the notes
  for (const std::string& note : outcome.notes) warn(global, "note: " + note);
  print_failed(global, outcome.failed);
  outcome.json["provenance"] =
      provenance_of(global, pool.threads(), monotonic_seconds() - started, outcome.inputs);
  write_json(global, outcome.json);
  write_html(global, outcome.html, outcome.json);
  return outcome.failed.empty() ? Exit::done : Exit::failed_on_the_way;
}

}  // namespace assay::cli
