#pragma once

#include <optional>

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// The decay alpha of a power law lambda_j ~ j^-alpha through the eigenvalues 11 ... 100 of the
// covariance (centred), by least squares in logarithms with weights 1 / j, as Stringer et al. fit
// them. Near 1 is said to be good. Nothing with fewer than 20 eigenvalues: the range is a choice,
// and models of different width are fitted over different ones.
std::optional<double> power_law_decay(const Vector& eigenvalues);  // descending

// Alpha-ReQ of features. Cost: n D min(n, D) flops.
// Ref.: Agrawal, Mondal, Ghosh, Richards, alpha-ReQ, NeurIPS 2022; Stringer et al., Nature 2019.
std::optional<double> alpha_req(ThreadPool& pool, const RowSource& rows);

}  // namespace assay
