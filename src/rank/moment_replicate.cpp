#include "rank/moment_replicate.h"

#include <cmath>
#include <cstddef>

namespace assay {

double moment_replicate(const Score& full, const Score& fold, TargetKind kind) {
  if (full.columns.empty()) return fold.value;
  const bool shift = kind == TargetKind::classes && !full.baselines.empty();
  double sum = 0.0;
  double counted = 0.0;
  for (std::size_t c = 0; c < full.columns.size(); ++c) {
    if (std::isnan(full.columns[c])) continue;
    const double offset = shift ? full.baselines[c] - fold.baselines[c] : 0.0;
    sum += std::isnan(fold.columns[c]) ? full.columns[c] : fold.columns[c] + offset;
    counted += 1.0;
  }
  return sum / counted;
}

}  // namespace assay
