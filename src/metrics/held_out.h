#pragma once

#include <vector>

#include "assay/types.h"

namespace assay {

// Below this many samples per class on average an accuracy counts too few cases, and most rules too
// alike, to tell models apart: metrics then also give the log likelihood of what they leave out
// (Score::held_out), which says how sure each prediction was.
inline constexpr Index kFewLabels = 5;
inline bool few_labels(Index samples, Index classes) { return samples < kFewLabels * classes; }

// Whether to find it: not where a score for every sample and class would not fit. So many samples
// make accuracies fine enough.
inline bool wants_held_out(Index samples, Index classes) {
  constexpr Index most_scores = Index{1} << 25;
  return few_labels(samples, classes) && samples * classes <= most_scores;
}

// Log likelihood of every sample's own class, in nats, under softmax(b * scores) with one b >= 0
// (an inverse temperature) for all samples, the one that makes their sum largest. scores: C x n, of
// predictions made without the sample, larger where the class is likelier; labels 0 ... C - 1. NaN
// for samples whose own class has the score -infinity: without them there is no such class.
//
// The sum is concave in b. Where every sample's own class leads, it has no largest value and the
// likelihood is 1, the limit; where scores tell nothing, b = 0 and it is 1 / C.
std::vector<double> softmax_log_likelihood(const Matrix& scores, const std::vector<Label>& labels);

}  // namespace assay
