#pragma once

#include <span>

#include "assay/types.h"

namespace assay {

// Standard error from the g replicates of a delete-a-group jackknife:
//
//     se^2 = (g - 1) / g  sum_j (theta_(j) - mean)^2
//
// theta_(j) is the statistic without group j. Needs g >= 2.
// Ref.: Efron & Tibshirani, An Introduction to the Bootstrap, ch. 11.
//
// With `pairs`, the replicates without groups 2k and 2k + 1, it is corrected for curvature. Split a
// statistic's variance into parts of order k = 1, 2, ... in the groups: the jackknife counts part k
// with weight k, half the mean square of
//
//     q = g theta - (g - 1) (theta_(i) + theta_(j)) + (g - 2) theta_(ij)
//
// with weight k (k - 1) / 2. Taking all of it off would leave the second order with weight one, but
// orders above too little, and ten pairs estimate it roughly: a quarter is taken off, as much as
// keeps the coverage of intervals at its promise (docs/study-coverage.md).
// Ref.: Efron & Stein, The jackknife estimate of variance, Ann. Statist. 1981.
double jackknife_standard_error(double full, std::span<const double> replicates,
                                std::span<const double> pairs = {});

// Two-sided tail probability of |estimate / standard error| under Student's t
// with `degrees` degrees of freedom; 0 when the error is 0 and the estimate is not.
double two_sided_p_value(double estimate, double standard_error, double degrees);

// The half-width factor of a two-sided interval: the (1 + level) / 2 quantile of
// Student's t. level in (0, 1).
double student_t_factor(double level, double degrees);

}  // namespace assay
