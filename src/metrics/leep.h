#pragma once

#include "assay/metric.h"
#include "metrics/probabilities.h"
#include "metrics/samples.h"

namespace assay {

// LEEP: the mean log-likelihood of the labels under the "expected empirical predictor",
//
//     LEEP = 1/n sum_i log sum_z p(y_i | z) P_iz,      p(y, z) = 1/n sum_i P_iz [y_i = y]
//
// At most 0, higher is better; at least minus the entropy of the labels. Unchanged by renaming
// classes or source classes. Cost: O(n Z), never n x Z x K.
// Of soft labels s_iy, p(y, z) = 1/n sum_i P_iz s_iy and the mean log-likelihood is that expected
// of a label drawn from them, 1/n sum_i sum_y s_iy log sum_z p(y | z) P_iz. Ref.: Nguyen et al.,
// LEEP, ICML 2020.
Score leep(const Probabilities& source);

// NCE: minus the conditional entropy of the labels given the source model's own decision,
// -H(Y | Z) with z_i = argmax P_i. At most 0, higher is better.
// Ref.: Tran et al., Transferability and Hardness of Supervised Classification Tasks, ICCV 2019.
Score nce(const Probabilities& source);

// LEEP on the posteriors of a Gaussian mixture in place of source probabilities: PCA to 80 % of
// the variance, then as many components as classes. Detail `spread`: the standard deviation of the
// score over the starts of the mixture, which is large; the start of the best likelihood counts.
// Flag `few_rows`: fewer than 3 rows per component.
// Ref.: Li et al., Ranking Neural Checkpoints, CVPR 2021.
Score nleep(const Samples& samples);

}  // namespace assay
