#pragma once

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

// LINEAR: the regularised training loss of multinomial logistic regression, the first two terms of
// PACTran's Eq. 14, for beta in {0.1, 1, 10} N: the one that agrees best with LINEAR-VALID across
// the hub counts. Nats per sample, lower is better. It only rewards fit: with D >= n every model
// does well.
// Ref.: Ding et al., PACTran, ECCV 2022.
Score linear(const Samples& samples);

// LINEAR-VALID: two equal stratified halves, logistic regression on one, the error on the other and
// the other way round, features standardised by the training half, beta in {0.1, 1, 10} N: for each
// half the one that did best the other way round. A share in [0, 1], lower is better; seeded.
Score linear_valid(const Samples& samples);

// The Laplace approximation of the evidence of multinomial logistic regression,
//
//     log p(y | F) ~ sum_i log p_i - delta/2 |theta|^2 + P/2 log delta - 1/2 log |H + delta I|
//
// at the prior precision delta that maximises it; nats per sample, at most 0, higher is better.
// H is the full Hessian while r K <= 512 (r the rank), Kronecker-factored beyond (flag
// `kronecker`): do not compare models on either side of that line to the last digit.
// Ref.: Immer et al., Scalable Marginal Likelihood Estimation, ICML 2021.
Score laplace(const Samples& samples);

}  // namespace assay
