#pragma once

#include "prior/task_prior.h"

namespace assay {

// What a prior of one grouping (labels, or the views of one image) needs of a model's kernel
// M = Z Z', without forming pairs.
struct GroupedSums {
  double all = 0.0;               // sum of M = |sum_i z_i|^2
  double within = 0.0;            // over pairs of one group, the diagonal included
  double trace = 0.0;             // sum of M_ii
  double squares_all = 0.0;       // sum of M^2 = |Z'Z|_F^2
  double squares_within = 0.0;    // over pairs of one group: sum_c |Z_c'Z_c|_F^2
  double squares_diagonal = 0.0;  // sum of M_ii^2
};

// Cost: n r min(n, r) flops for the squares of all, n_c r min(n_c, r) for each group's.
template <typename T>
GroupedSums grouped_sums(ThreadPool& pool, const Kernel<T>& model, const std::vector<Label>& group);

// Theorem 3.6 with s = sigmoid(1 / T) within groups and 1/2 elsewhere.
TaskMoments grouped_moments(const GroupedSums& sums, double temperature, Graph graph);

}  // namespace assay
