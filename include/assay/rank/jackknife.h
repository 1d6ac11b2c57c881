#pragma once

#include <span>

#include "assay/core/types.h"

namespace assay {

// Standard error from the g replicates of a delete-a-group jackknife:
//
//     se^2 = (g - 1) / g  sum_j (theta_(j) - mean)^2
//
// theta_(j) is the statistic without group j. Needs g >= 2.
// Ref.: Efron & Tibshirani, An Introduction to the Bootstrap, ch. 11.
double jackknife_standard_error(std::span<const double> replicates);

// Two-sided tail probability of |estimate / standard error| under Student's t
// with `degrees` degrees of freedom; 0 when the error is 0 and the estimate is not.
double two_sided_p_value(double estimate, double standard_error, double degrees);

// The half-width factor of a two-sided interval: the (1 + level) / 2 quantile of
// Student's t. level in (0, 1).
double student_t_factor(double level, double degrees);

}  // namespace assay
