#pragma once

#include <string>
#include <vector>

#include "common.h"

namespace assay::cli {

// run_command_line, also as one of several ranks that mpirun or another launcher started: each does
// its share, rank 0 alone speaks, writes and decides the exit code of all. Without the plug-in that
// takes, an error, printed once.
int run_launched(const std::vector<std::string>& words, GlobalOptions& global);

}  // namespace assay::cli
