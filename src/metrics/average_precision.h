#pragma once

#include <vector>

#include "assay/types.h"

namespace assay {

// Mean over columns of the average precision of scores: the mean, over the samples that have the
// label, of the share of such samples among all that score at least as high (equal scores share
// the precision of the last). targets: n x C, two values in every column, the larger one meaning
// that the sample has the label. What each sample adds, by leaving it out, shifted so that the mean
// over samples is the value.
std::vector<double> average_precision_by_sample(const Matrix& targets, const Matrix& scores);

// What scores that say nothing have: the share of samples with the label, averaged over columns.
double mean_share_of_positives(const Matrix& targets);

}  // namespace assay
