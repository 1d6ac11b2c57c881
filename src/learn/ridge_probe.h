#pragma once

#include <cstdint>

#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Predictions (test samples x C) of a tuned ridge probe: ridge regression with an intercept on
// features standardised by the training samples, its penalty chosen among kRidgePerRow by the
// squared error on a seeded fifth of the training samples (columns in units of their deviations),
// then fitted to all of them. train: D x n, values: n x C, test: D x m.
Matrix ridge_probe(ThreadPool& pool, const Matrix& train, const Matrix& values, const Matrix& test,
                   std::uint64_t seed);

}  // namespace assay
