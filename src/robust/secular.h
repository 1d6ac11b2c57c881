#pragma once

#include "assay/types.h"

namespace assay {

// The tau > 0 with |z(tau)| = ratio |mu|, z_i = mu_i tau / (tau + lambda_i): the multiplier of
//
//     min (mu - z)' Lambda^-1 (mu - z)   over   |z|_2 <= ratio |mu|.
//
// Its minimiser is z(tau), and Lambda^-1 (mu - z) = mu / (lambda + tau) without a subtraction, so
// the conditions of optimality hold to rounding whatever the spread of lambda.
//
// lambda_i > 0, mu not zero, 0 < ratio < 1. |z| grows with tau, and tau lies between the least and
// the largest lambda times ratio / (1 - ratio): Newton's method in log tau within that bracket.
// Cost: about ten passes over mu.
double secular_root(const Vector& mu, const Vector& lambda, double ratio);

}  // namespace assay
