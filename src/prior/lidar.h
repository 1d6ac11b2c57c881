#pragma once

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// LiDAR: the effective rank of S_w^-1/2 S_b S_w^-1/2, where each sample is a class of its own and
// its views (`views` rows in a row) are what it holds: S_b the covariance of the samples' means,
// S_w that of views about them plus 1e-4 on the diagonal. High is said to be good. The 1e-4 is not
// relative: features times 100 have another LiDAR. Views decide what counts as noise.
// `rows` must be a whole number of samples. Cost: n D^2 flops and an eigendecomposition of size D.
// Ref.: Thilak et al., LiDAR, ICLR 2024.
double lidar(ThreadPool& pool, const RowSource& rows, Index views);

}  // namespace assay
