#pragma once

#include "assay/rank.h"
#include "assay/rows.h"

namespace assay {

// Whether features bear the mark of a decomposition (PCA, truncated SVD, whitening) that was fitted
// to these very rows, or to a set that holds them: their columns are more nearly orthogonal, about
// the origin or about the means, than columns that have nothing to do with each other would be by
// chance.
//
// For columns x, z whose products x_i z_i are symmetric about zero, t = (x'z)^2 / sum_i (x_i z_i)^2
// has mean 1; over P pairs of columns the sum of t is at most x P, x < 1, with a probability of no
// more than (x e^(1 - x))^(P/2) (Chernoff's bound for chi squared). Columns of one row each, such
// as one-hot codes, have no such pairs. True where that is below 1e-6. Real features are correlated
// and have x far above 1; those of an SVD stored in float16 have 1e-7.
//
// Sees up to 64 columns, evenly spaced, and all rows; false without looking beyond 2^28 values,
// where no model has the rows to remember. Cost: two passes, eight times 64^2 flops a row.
bool fitted_here(const RowSource& rows);

// Marks LogME's score of such features with the flag `fitted_here`, where a leave-one-out accuracy
// is there to compare it with.
void mark_fitted_here(const RowSource& rows, std::vector<MetricScore>& scores);

// Keeps the flag where the evidence, which judges rows by the very rows it was fitted to, disagrees
// with leave-one-out accuracies: it places the model before each of ridge_loo, ncc_loo and knn
// does, as far as they were asked for. A note for each such model. Elsewhere, and with no
// leave-one-out accuracy to compare with, the flag goes: most decompositions do no harm.
void judge_fitted_here(RankResult& result);

}  // namespace assay
