#pragma once

#include <optional>

#include "assay/types.h"
#include "track/row_axes.h"

namespace assay {

// A score and what every row contributes to it: how much it changes to first order when the row is
// taken out, so that the sum of squares is the (infinitesimal) jackknife's variance.
struct RowScore {
  double value = 0.0;
  Vector contributions;
};

// RankMe from axes that are not centred (prior/effective_rank.h). With singular values
// s_j = sqrt(l_j), p_j = s_j / S and R = exp(H(p)), taking out row i lowers l_j by (v_j'x_i)^2, and
//
//     dR / dl_j = R (h_j - sum_k p_k h_k) / (2 S s_j),  h_j = -(log p_j + 1)
RowScore rankme_of_rows(const RowAxes& axes);

// alpha-ReQ from centred axes: the decay is linear in log l_j (prior/alpha_req.h), with
// coefficients that sum to zero. Nothing where there is no decay to fit.
std::optional<RowScore> alpha_req_of_rows(const RowAxes& axes);

}  // namespace assay
