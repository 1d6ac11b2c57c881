#pragma once

#include <vector>

#include "assay/prior.h"
#include "assay/thread_pool.h"
#include "prior/principal_axes.h"
#include "prior/task_prior.h"

namespace assay {

// What a prior's kernel K does to a model's axes: all that the leave-one-out errors below ask of
// K, whatever it is made of (features, groups, distances). Parts of a prior add.
struct PriorImage {
  Matrix applied;   // Z H K H, r x n
  Vector variance;  // diagonal of H K H, n
};

// Cost: n r r_p flops for a kernel with a factor of r_p rows, n^2 r for rbf, n r for groups.
template <typename T>
PriorImage prior_image(ThreadPool& pool, const TaskPrior<T>& prior, const Matrix& z);

// The share of a task's variance that a ridge probe explains of rows it has not seen, for tasks
// whose labels y have covariance E[Hyy'H] proportional to H K H: to first order in 1 / T those of
// the prior. Positive semi-definite and free of T, which sigmoid(K / T) is not. With
// M = Z'(Z Z' + l)^-1 Z and leave-one-out residuals in closed form,
//
//     1 - sum_i [(H - M) K (H - M)]_ii / (1 - 1/n - M_ii)^2  /  sum_i (n / (n - 1))^2 [HKH]_ii
//
// the second sum being the errors of the mean of all other rows. At most 1; below 0 the probe does
// worse than that mean: clipped, with a flag. Cost: n r^2 flops for each penalty tried.
// `variance` that is zero throughout (a prior of one group) explains nothing: value 0, clipped.
ProbeR2 probe_r2(ThreadPool& pool, const PrincipalAxes& axes, const PriorImage& prior,
                 const RidgePenalty& penalty);

// What every sample contributes to that share: with errors e_i and variances v_i, the share is
// 1 - sum e_i / sum v_i, and without sample i it changes by (e_i - v_i sum e / sum v) / sum v to
// first order. `penalty`: that of the share.
Vector probe_r2_contributions(ThreadPool& pool, const PrincipalAxes& axes, const PriorImage& prior,
                              double penalty);

// The same formula for labelings in place of K: one number per task, NaN for a task of one class.
// labels: task after task, n each, 0 ... classes - 1. Cost: 4 n r classes flops per task.
Vector task_r2(ThreadPool& pool, const PrincipalAxes& axes, const std::vector<Label>& labels,
               Index classes, double penalty);

}  // namespace assay
