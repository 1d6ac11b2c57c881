#pragma once

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// exp of the entropy of p = values / sum + 1e-7, as RankMe and LiDAR take it: between 1 and how
// many values there are, but for the 1e-7, which keeps the logarithm of zeros finite.
double effective_rank(const Vector& values);

// RankMe: the effective rank of the singular values of the features (not of their squares), rows as
// they are, neither centred nor scaled; min(n, D) of them, zeros included. High is said to be good.
// What it mistakes for quality: noise, which has full rank; a large mean counts as one direction.
// Singular values below 1e-8 of the largest are rounding. Cost: n D min(n, D) flops.
// Ref.: Garrido, Balestriero, Najman, LeCun, RankMe, ICML 2023.
double rankme(ThreadPool& pool, const RowSource& rows);

}  // namespace assay
