#include <memory>

#include "assay/core/error.h"
#include "curve_output.h"

namespace assay::cli {

void add_curve(CLI::App& app, const GlobalOptions& global, Run& run) {
  CLI::App* cmd = app.add_subcommand(
      "curve", "loss-data curves: how many labels does each representation need?");
  cmd->footer("Example: assay curve measure curves.csv --classes 10 --epsilon 0.5,0.1");
  add_curve_measure(*cmd, global, run);
  cmd->require_subcommand(1);
}

}  // namespace assay::cli
