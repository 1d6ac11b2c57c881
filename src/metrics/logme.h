#pragma once

#include <vector>

#include "assay/logme.h"
#include "assay/metric.h"
#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "metrics/evidence.h"
#include "metrics/problem.h"

namespace assay {

// LogME of features F for targets Y: the logarithm of the maximum evidence of a
// Bayesian linear regression from F to each target column, per sample, averaged
// over columns (classes are one-hot columns).
//
//     LogME = 1/C sum_c max_{alpha, beta} 1/n log p(y_c | F, alpha, beta)      (Eq. 2)
//
// Any real number; unchanged by scaling F, rotating it, padding it with zeros or
// repeating its columns (Corollaries 3 and 4). Higher is better.
// Flags: uninformative, interpolates, exact_fit (EvidenceCase), skipped_columns,
// each set when it applies to at least one column.
// Details: gain (over the model without features; the number people can read),
// and the number of columns behind each flag and behind Theorem 2's condition.
// Cost: 4/3 p^3 with p = min(n, D), then O(C p).
// Ref.: You et al., JMLR 2022. Derivation: docs/metrics/logme.md
Score logme(const Problem& problem);

// The same from columns that have been found already, by maximize_evidence.
Score logme_score(const Problem& problem, const std::vector<EvidenceColumn>& columns);

// The regression behind the score, for prediction and B-Tuning: the posterior of
// the weights of each column is N(m, (alpha I + beta F'F)^-1). A centred one has an intercept, flat
// a priori: F and Y are then about their means.
struct LogmeFit {
  std::vector<EvidenceColumn> columns;
  Matrix weights;        // D x C, the posterior means m
  Vector intercept;      // C: mean(y) - mean(f)'m, zeros where not centred; of a constant column it
  Vector feature_mean;   // D, of a centred fit; else empty
  double share = 0.0;    // of one row in the intercept: 1/n, 0 where not centred
  Reduced reduced;       // factor of the Gram matrix, for predictive variances
  Matrix feature_basis;  // dual only: D x n, training samples as columns, about their mean
};

// Fits on rows held by `rows`; `problem` must come from the same rows.
LogmeFit fit_logme(const Problem& problem, const RowSource& rows);

// The posterior predictive distribution for the samples in the columns of `features` (D x k). A
// column that was constant is predicted as that constant, with a variance that nobody knows: NaN.
Prediction predict(const LogmeFit& fit, const Matrix& features);

}  // namespace assay
