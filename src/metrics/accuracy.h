#pragma once

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

// The test accuracy to expect of a tuned linear probe (multinomial logistic regression on
// standardised features, free intercept) that is trained on all samples: what people measure after
// choosing a model.
//
// The penalty is the one with the best accuracy when each half of the samples predicts the other.
// Under it samples are predicted by a probe without their tenth of the samples: all of them, or, of
// some thousands, as many tenths as it takes to know what they bring over halves. Accuracy grows
// with the rows m as a - b m^-g, g = 1 for a smooth estimate and 1/2 where tuning trades bias for
// variance, so that with A(0.9 n) and A(n/2) measured
//
//     A(n) = A(0.9 n) + w (A(0.9 n) - A(n/2)),   w = (0.9^-g - 1) / (0.5^-g - 0.9^-g),
//
// which is 0.125 for g = 1 and 0.150 for g = 1/2: w lies between, and half the difference is part
// of the interval, as is the spread between training sets (docs/metrics/accuracy.md).
//
// Numbers: the R2 of a tuned ridge regression, several labels per sample: its mean average
// precision, both in the same way.
//
// Details: held_out (the accuracy measured, at `training_share` of the rows), half (at half of
// them), strength (the inverse penalty, scikit-learn's C), log_loss and macro_f1 (at
// `training_share`), chance (always the commonest class), tested (samples predicted by folds).
// Flag: too_few, with fewer than 20 samples. Range [0, 1]; higher is better. Cost: the row space,
// and three to twelve fits to all samples; seeded.
Score accuracy(const Samples& samples);

}  // namespace assay
