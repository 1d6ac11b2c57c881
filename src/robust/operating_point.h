#pragma once

#include <span>

#include "assay/robust.h"
#include "assay/types.h"
#include "robust/bayes.h"
#include "robust/gaussian_pair.h"

namespace assay {

// Of a linear score u = (x - midpoint)'w with u | y ~ N(+-gap, sd^2) that decides for class 1 when
// u > ln((1 - p) / p) / 2, p = P(class 1). Balanced classes, t = gap / sd: accuracy Phi(t), bound
// phi(t) / (t Phi(t)) + 1 (Results 2.2 and 2.3). gap, sd > 0, 0 < p < 1.
OperatingPoint expected_point(double gap, double sd, double class_prior);

// What the Gaussians of the pair promise for a classifier of theirs (Results 2.2 and C.1).
OperatingPoint expected_point(const GaussianPair& pair, const RobustBayes& bayes,
                              double class_prior);

// The raw synthetic data themselves, N(+-s e, I) with |e| = 1: the reference of SynBench. All
// budgets give the same classifier up to its length, which matters only when classes are unequal
// (Result 2.1); relative_epsilon < 1.
OperatingPoint reference_point(double scale, double relative_epsilon, double class_prior);

// The distance of a score from the boundary, in units of the score; negative when it is on the
// wrong side of it.
double distance_if_right(double score, Label label, double class_prior);

// Measured: scores u of samples with labels 0 or 1, and gap = mu~'w (Result 2.4). The bound is 0
// when no sample is classified correctly.
OperatingPoint measured_point(std::span<const double> scores, std::span<const Label> labels,
                              double gap, double class_prior);

}  // namespace assay
