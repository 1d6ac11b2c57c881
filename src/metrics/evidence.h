#pragma once

#include <vector>

#include "assay/metric.h"
#include "assay/types.h"
#include "metrics/problem.h"

namespace assay {

struct EvidenceColumn {
  EvidenceCase kind = EvidenceCase::skipped;
  double value = 0.0;  // largest log evidence / n, nats per sample
  double gain = 0.0;   // value minus that of the model without features
  double t = 0.0;      // alpha / beta; infinite when uninformative, 0 when it interpolates
  double alpha = 0.0;  // prior precision of the weights
  double beta = 0.0;   // precision of the noise
  // Of the features divided by Reduced::unit. t and alpha go with the square of the features' size,
  // which passes the range of double from 1e154 on; these do not.
  double unit_t = 0.0;
  double unit_alpha = 0.0;
  bool theorem2 = false;  // the LogME paper's sufficient condition for a fixed point holds
};

// Maximises the evidence of every active column over alpha and beta.
//
// With t = alpha / beta and q(t) the regularised residual, the evidence (LogME
// paper, Eq. 2) at its best beta = n / q(t) depends on t alone and not on D:
//
//     L(t) / n = -1/2 log(2 pi q(t) / n) - 1/2 - 1/(2n) sum_i log(1 + s_i / t)
//
// The stationary points are the fixed points of the paper's Eq. 4. They are found
// by Newton's method in log t from every local maximum of a grid, because the
// iteration of Eq. 4 can end at the lesser of two maxima and needs hundreds of
// steps for some columns. Cost: O(p) per column and step.
std::vector<EvidenceColumn> maximize_evidence(const Reduced& reduced,
                                              const std::vector<bool>& active);

// How much float products may have changed the mean of the columns' values: the
// standard deviation of the first-order effect, estimated with a few random
// vectors. 0 when the products were taken in double.
double float_error(const Reduced& reduced, const std::vector<EvidenceColumn>& columns);

}  // namespace assay
