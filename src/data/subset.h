#pragma once

#include <span>
#include <vector>

#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/types.h"

namespace assay {

// The targets of the given rows, under the name of their source.
Targets targets_of_rows(const Targets& targets, const std::vector<Index>& rows);

// The same as numbers, a row each: one-hot columns for classes.
Matrix target_matrix(const Targets& targets, std::span<const Index> rows);

// The given rows, in memory, under the name of their source.
Rows rows_of_subset(const RowSource& source, const std::vector<Index>& rows);

// The same rows (ascending) where they lie: nothing is copied, each is read when it is asked for.
Rows view_of_subset(Rows source, std::vector<Index> rows);

}  // namespace assay
