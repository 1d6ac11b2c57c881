#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "assay/targets.h"
#include "assay/types.h"
#include "curve/schedule.h"

namespace assay {

// For learners of the user's own: `subsets.json` (sizes, seeds, how to read the rest),
// `validation_rows.npy` and one `order_seed_S.npy` per seed, all int64 row numbers of the feature
// files, from 0. The subset of size n is the first n rows of an order. `orders` holds positions in
// the training part.
void export_subsets(const std::filesystem::path& directory, const Targets& targets,
                    const Split& split, std::span<const Index> sizes,
                    std::span<const std::vector<Index>> orders);

}  // namespace assay
