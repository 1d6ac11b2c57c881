#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "assay/targets.h"
#include "assay/types.h"
#include "curve/schedule.h"

namespace assay {

// For learners of the user's own: `subsets.json` (sizes, seeds, how to read the rest), and for
// every seed S `order_seed_S.npy` and `validation_rows_seed_S.npy` (empty where there are
// validation data of their own), all int64 row numbers of the feature files, from 0. The subset of
// size n is the first n rows of an order.
void export_subsets(const std::filesystem::path& directory, const Targets& targets,
                    std::span<const Index> sizes, std::span<const std::vector<Index>> orders,
                    std::span<const std::vector<Index>> held_out);

}  // namespace assay
