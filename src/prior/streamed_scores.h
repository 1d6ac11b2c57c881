#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "assay/prior.h"
#include "assay/progress.h"
#include "assay/rows.h"
#include "assay/thread_pool.h"

namespace assay {

// What one prior of features says of one model when neither fits in memory.
struct StreamRequest {
  const RowSource* model = nullptr;
  const RowSource* prior = nullptr;  // as many rows; cosine, centred
  bool ridge = false;                // the model's kernel: else cosine, centred
  RidgePenalty penalty;              // of the ridge and of probe_r2: `mean` or a value
  std::vector<double> temperatures;  // empty: the median absolute entry of the sampled pairs
  Graph graph = Graph::directed;
  Index pairs = 0;
  std::uint64_t seed = 0;
};

struct StreamedScores {
  std::vector<double> temperatures;
  std::vector<TaskMoments> moments;  // per temperature, with standard errors
  ProbeR2 probe_r2;                  // without its spread over tasks
};

// The numbers of sampled_task_moments and probe_r2, block by block: two passes over both files and
// their rows of the sampled pairs. Held are a few D x D matrices and some thousand rows.
//
//     pass 1   means, S = Z Z' (double), C = Z Z_p' (products in float)
//     pass 2   w_i = (S + l)^-1/2 z_i: M_ii = |w_i|^2 of the ridge, and the leave-one-out residuals
//              (z_p,i - C'(S + l)^-1 z_i) / (1 - 1/n - M_ii)
//     pairs    K_ij = z_p,i' z_p,j and M_ij = z_i' z_j or w_i' w_j
//
// The control variates need no pass of their own: sum M = 0, <M, K> = |C|^2 and |M|^2 = |S|^2, with
// the ridge in between where the model's kernel has one. Throws Error for rows of zeros.
// Cost: n (D^2 + 2 D D_p) flops in pass 1, n (2 D^2 + 2 D D_p) in pass 2.
StreamedScores streamed_scores(ThreadPool& pool, const StreamRequest& request,
                               const ProgressCallback& progress);

// Bytes that streamed_scores holds, whatever the number of rows.
Index streamed_bytes(const RowSource& model, const RowSource& prior, Index pairs);

}  // namespace assay
