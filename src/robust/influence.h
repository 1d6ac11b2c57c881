#pragma once

#include <span>

#include "assay/robust.h"
#include "assay/types.h"
#include "robust/debiased.h"
#include "robust/gaussian_pair.h"

namespace assay {

// By how much each sample moves what one classifier at one scale comes to (its influence function,
// divided by the number of samples). Sums of squares over samples are variances; and because one
// sample keeps its number at every scale, sums over scales of what it moves tell noise that scales
// share from noise of their own.
struct SampleInfluence {
  DebiasedClassifier debiased;
  Vector gap, variance;    // of `debiased`, by training samples
  Vector length;           // on the log of the measured bound, by training samples
  Vector accuracy, bound;  // on the measured point, by test samples
};

// `projections`: the centred samples along R m, R^2 m, m and w, n x 4; R with the ridge of
// `debiased`, w the fitted classifier's weights, whose penalty is tau and whose gap is m'w.
//
// Samples that helped to fit a covariance look less far out than they are. Dividing by the share of
// freedom that is left undoes that in the mean: what leaving the sample out would change.
void set_training_influence(const Matrix& projections, std::span<const Label> labels,
                            const GaussianPair& pair, double tau, double fitted_gap,
                            SampleInfluence& out);

// On `measured`, which measured_point() made of these scores.
void set_test_influence(std::span<const double> scores, std::span<const Label> labels,
                        const OperatingPoint& measured, double fitted_gap, double class_prior,
                        SampleInfluence& out);

// Standard errors, over draws of the noise, of synbench_value() and synbench_calibrated(); both
// lists are the scales of one budget.
double value_error(std::span<const ScalePoint> points, std::span<const SampleInfluence> influences,
                   double threshold);
double calibrated_error(std::span<const ScalePoint> points,
                        std::span<const SampleInfluence> influences, double threshold,
                        double class_prior);

}  // namespace assay
