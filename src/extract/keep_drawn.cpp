#include "extract/keep_drawn.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "data/subsample.h"
#include "data/subset.h"

namespace assay {

DrawnRows keep_drawn(const Subsample& subsample, std::uint64_t seed, LabelledImages& images) {
  DrawnRows out{images.targets.rows(), draw_rows(subsample, images.targets, seed)};
  std::vector<Index> kept;
  for (const std::vector<Index>& draw : out.draws)
    kept.insert(kept.end(), draw.begin(), draw.end());
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  for (std::vector<Index>& draw : out.draws) {
    for (Index& row : draw) row = std::lower_bound(kept.begin(), kept.end(), row) - kept.begin();
  }
  images.targets = targets_of_rows(images.targets, kept);
  images.images = images_of_subset(std::move(images.images), std::move(kept));
  return out;
}

}  // namespace assay
