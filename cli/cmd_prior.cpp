#include "prior_options.h"

namespace assay::cli {

void add_prior(CLI::App& app, const GlobalOptions& global, Run& run) {
  CLI::App* prior = app.add_subcommand(
      "prior", "judge representations without labels, over all tasks a prior finds likely");
  prior->require_subcommand(1);
  prior->footer(
      "Example: assay prior score hub/ --prior dinov2.npy\n"
      "`assay prior score --help` and so on explain each.");
  prior->fallthrough();
  add_prior_score(*prior, global, run);
  add_prior_sample(*prior, global, run);
  add_prior_probe(*prior, global, run);
}

}  // namespace assay::cli
