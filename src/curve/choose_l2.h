#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assay/types.h"
#include "learn/logistic.h"
#include "learn/row_space.h"

namespace assay {

// Penalties by the training rows alone: nothing that a probe is judged by is seen.

// What logistic probes without a fifth of the rows make of it, in nats, for penalties half a decade
// apart, each fit starting from the last: first weaker and weaker until two bring nothing, then
// stronger if the first was the best; the best is the vertex of the parabola through the three in
// the middle. Many rows need not be held out all: some hundreds decide. `groups`: of the rows, kept
// together, or empty. `start` becomes a fit to begin with. Cost: some ten rough fits.
double choose_logistic_l2(const LogisticProblem& problem, const RowSpace& space,
                          std::span<const Label> labels, std::span<const Label> groups,
                          std::optional<LogisticFit>& start);

// Ridge regression in the coordinates of its row space: z z' = diag(spectrum), samples centred.
struct RidgeRows {
  Matrix z;          // r x n
  Vector spectrum;   // r
  Matrix projected;  // z y, r x C
};

// The penalty with the least squared error of every row (or group of rows) by the fit without it,
// in closed form: with h the leverages, 1/n of them the intercept's,
//
//     (y_i - f_i) / (1 - h_i),   of a group (I - H_GG)^-1 (y_G - f_G)
//
// values: n x C, centred. Cost: 4 n r C flops for each of thirteen penalties.
double choose_ridge_l2(const RidgeRows& rows, const Matrix& values, std::span<const Label> groups);

}  // namespace assay
