#pragma once

#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"
#include "core/random.h"

namespace assay {

// Clusters of samples, one sample per column.
struct Clusters {
  Matrix centres;                 // d x K
  std::vector<Index> assignment;  // n, each sample's nearest centre
  double inertia = 0.0;           // sum of squared distances to it
  int iterations = 0;
  bool converged = false;  // the last step moved no sample
};

// K-means: centres drawn by k-means++ (Arthur and Vassilvitskii, SODA 2007: each next centre is
// a sample, drawn with probability proportional to its squared distance from those so far), then
// Lloyd's iterations until no sample moves, 100 at most. A cluster that runs empty restarts at
// the sample farthest from its centre; with fewer distinct samples than clusters some stay empty.
//
// Where the mixtures of N-LEEP and N-PACTran start (learn/mixture.h).
// Scale and shift of the data do not matter. At least one sample; 1 <= clusters <= n.
// Cost: 2 n d K flops per iteration.
Clusters kmeans(ThreadPool& pool, const Matrix& samples, Index clusters, Random& random);

}  // namespace assay
