#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/types.h"

namespace assay {

// Sampled labelings to probe.
struct LoadedTasks {
  std::string where;
  std::vector<Label> labels;
  Index tasks = 0, count = 0, classes = 0;
};

// From a file as sampling tasks writes it: integers (tasks, rows), 0, 1, 2, ... Throws Error.
LoadedTasks load_tasks(const std::filesystem::path& path);

// From memory, task after task, `count` labels each. Throws Error.
LoadedTasks given_tasks(const std::vector<Label>& labels, Index count);

}  // namespace assay
