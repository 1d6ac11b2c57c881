#include "prior/load_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "assay/array.h"
#include "assay/error.h"
#include "io/npy.h"

namespace assay {

LoadedTasks load_tasks(const std::filesystem::path& path) {
  const Array array = open_npy(path);
  if (array.rank() != 2 || !is_integer(array.type) || array.shape[0] < 1 || array.shape[1] < 2) {
    fail_input(
        fmt::format("{}: expected integers of shape (tasks, rows), as sampling tasks "
                    "writes them",
                    path.string()));
  }
  LoadedTasks out;
  out.where = path.string();
  out.tasks = array.shape[0];
  out.count = array.shape[1];
  constexpr std::int64_t most = 100'000;  // classes: labels are positions, not names
  Label largest = 0;
  for (Index task = 0; task < out.tasks; ++task) {
    for (Index row = 0; row < out.count; ++row) {
      const Index at = array.fortran_order ? row * out.tasks + task : task * out.count + row;
      const std::int64_t value = integer_at(array, at);
      if (value < 0 || value >= most) {
        fail_input(fmt::format("{}: task {}, row {} is {}; labels are 0, 1, 2, ...", path.string(),
                               task, row, value));
      }
      out.labels.push_back(static_cast<Label>(value));
      largest = std::max(largest, out.labels.back());
    }
  }
  out.classes = largest + 1;
  return out;
}

LoadedTasks given_tasks(const std::vector<Label>& labels, Index count) {
  LoadedTasks out;
  out.where = "tasks";
  out.labels = labels;
  out.count = count;
  const auto all = static_cast<Index>(labels.size());
  if (all == 0 || all % out.count != 0) {
    fail_input(fmt::format("tasks: {} labels are no whole number of tasks on {} rows each", all,
                           out.count));
  }
  if (*std::ranges::min_element(labels) < 0)
    fail_input("tasks: a label is negative; labels are 0, 1, 2, ...");
  out.tasks = all / out.count;
  out.classes = *std::ranges::max_element(labels) + Index{1};
  return out;
}

}  // namespace assay
