#pragma once

#include <string>
#include <vector>

#include "common.h"

namespace assay::cli {

// Parses the words after `assay`, runs the command and returns its exit code; says on stderr what
// went wrong. `global` holds what the words do not say: the command line for provenance, and who
// shares the work, if that is settled.
int run_command_line(const std::vector<std::string>& words, GlobalOptions& global);

}  // namespace assay::cli
