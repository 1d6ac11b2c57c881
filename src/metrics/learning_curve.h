#pragma once

#include <vector>

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

inline constexpr Index kProbeFolds = 10;

double mean_of(const std::vector<double>& values);

// What each sample adds to a measure of probes that have not seen it: of probes trained on half of
// the samples, and on all but one of `folds` parts.
struct LearningCurve {
  std::vector<double> by_half;
  std::vector<double> by_folds;
  Index folds = kProbeFolds;
  double directions = 1.0;  // independent ones in which a probe errs at random
};

// What each sample adds when only some were predicted by folds: the mean over all of by_half, and
// of the difference over those tested, so that the mean is an unbiased estimate of that by folds.
std::vector<double> by_some_folds(const std::vector<double>& by_half,
                                  const std::vector<double>& by_folds,
                                  const std::vector<Index>& tested);

// The standard error of that mean difference. One more sample that comes out otherwise must not
// surprise.
double gain_error(const std::vector<double>& by_half, const std::vector<double>& by_folds,
                  const std::vector<Index>& tested);

// The measure of a probe trained on all samples (accuracy.h has the formula), with what each sample
// adds, the variance that samples do not show, and the details held_out, half and training_share.
// No measure is below `least` or above `most`.
Score extrapolated(const LearningCurve& curve, double least, double most = 1.0);

// Of fewer than two samples (or groups), where no part can be held out.
Score nothing_held_out(const Samples& samples);

}  // namespace assay
