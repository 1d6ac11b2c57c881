#pragma once

#include <vector>

#include "assay/robust.h"
#include "robust/synbench.h"

namespace assay {

// A model's scores, best epsilons and notes from what was measured at each of its scales; fills
// `points` too. Throws Error when no threshold can be used.
void score_measurements(const std::vector<ScaleMeasurement>& scales, const SynbenchRequest& request,
                        SynbenchModel& model);

// Of scores at one threshold: the epsilon whose calibrated score is above all others by more than
// its standard error. Nothing when none is, or a score is missing.
std::optional<double> clear_best_epsilon(std::span<const SynbenchScore> scores);

// Accuracies too near to that of naming the larger class every time, within two standard errors of
// a measurement on `samples`, say nothing: noise passes them where the bound is longest.
double lowest_threshold(double class_prior, Index samples);

}  // namespace assay
