#pragma once

#include <vector>

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

// Numbers, or 0/1 of several labels, as the metrics on samples see them: about their means, in
// units of their deviations, columns that do not vary left out.
struct RealTargets {
  Matrix values;  // n x C', mean 0 and variance 1 in every column
  Index skipped = 0;
};
RealTargets real_targets(const Samples& samples);

// R2 = 1 - sum of squared residuals / sum of squares about the mean, averaged over columns, from
// predictions that were made without the sample: what each sample adds to it, to first order (the
// denominator's share included), so that the mean over samples is R2.
std::vector<double> r2_by_sample(const RealTargets& targets, const Matrix& predicted);

// The score whose value is the mean of what samples add; 0 and flagged where no target varies.
Score r2_score(const RealTargets& targets, const Matrix& predicted);

// For targets that are no classes: leave-one-out R2 of ridge regression (penalty by the same), of
// the mean of the 5 nearest neighbours by cosine, and the share of variance that ridge regression
// leaves on held-out halves (each half by the other, penalty by the same).
Score ridge_loo_of_numbers(const Samples& samples);
Score knn_of_numbers(const Samples& samples);
Score linear_valid_of_numbers(const Samples& samples);

// R2 (numbers) or mean average precision (several labels) to expect of ridge regression trained on
// all samples: accuracy.h.
Score accuracy_of_numbers(const Samples& samples);

}  // namespace assay
