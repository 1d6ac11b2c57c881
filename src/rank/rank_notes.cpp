#include "rank/rank_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "data/subsample.h"

namespace assay {

void add_notes(const RankRequest& request, const Targets& targets, const Catalogue& catalogue,
               RankResult& result) {
  if (request.level > 0.0 && result.folds < 5) {
    result.notes.push_back(fmt::format(
        "only {} fold(s) could be made; intervals mean little with so few samples or groups",
        result.folds));
  }
  if (!catalogue.networks.empty()) {
    result.notes.push_back(
        fmt::format("{} network file(s) left out, e.g. {}: name images to run them on with --data",
                    catalogue.networks.size(), catalogue.networks.front().filename().string()));
  }
  if (targets.kind != TargetKind::classes) return;
  std::vector<Index> counts(targets.names.size(), 0);
  for (const Label label : targets.labels) ++counts[static_cast<std::size_t>(label)];
  const auto rare =
      std::count_if(counts.begin(), counts.end(), [](Index count) { return count < 3; });
  if (rare > 0) {
    result.notes.push_back(
        fmt::format("{} of {} classes have fewer than 3 samples; their share of the score is "
                    "mostly chance",
                    rare, counts.size()));
  }
}

void add_draw_notes(const RankRequest& request, const Targets& targets, RankResult& result) {
  const Subsample& asked = *request.subsample;
  const bool classes = targets.kind == TargetKind::classes;
  const Index wanted = asked.rows * (asked.per_class ? targets.columns() : 1);
  if (result.draw_rows == targets.rows()) {
    result.notes.push_back(fmt::format(
        "--subsample: every draw holds all {} rows, so that the draws are the same; ask for fewer",
        with_thousands(targets.rows())));
  } else if (result.draw_rows > wanted) {
    result.notes.push_back(
        fmt::format("--subsample: draws hold {} rows instead of {}; fewer than {} tell nothing",
                    result.draw_rows, wanted, kFewestRows));
  } else if (result.draw_rows < wanted && classes) {
    result.notes.push_back(fmt::format(
        "--subsample: draws hold {} rows instead of {}, as some classes have fewer than {}",
        with_thousands(result.draw_rows), with_thousands(wanted), asked.rows));
  }
}

}  // namespace assay
