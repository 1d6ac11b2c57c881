#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "metrics/evidence.h"
#include "metrics/problem.h"

namespace assay {

// What samples add to the log evidence of LogME, without fitting anything again.
//
// With alpha and beta held at the optimum, where a change of them is of second order, leaving the
// samples g out changes the log evidence of a column by
//
//     L - L_-g = n_g/2 log(beta / 2 pi) - beta/2 r_g'(I - H_gg)^-1 r_g + 1/2 log|I - H_gg|,
//
// r = y - F m, H = F (F'F + t I)^-1 F'; an intercept, integrated out, adds 1/n to every entry of H.
// It is the log density of the samples g given all others. On the dual side I - H = t (K + t I)^-1
// and r = t a, a = (K + t I)^-1 y, so that alpha (K + t I)^-1 takes the place of beta (I - H): that
// stays finite where the features fit anything (t -> 0).
//
// At the edge t -> infinity (uninformative) the maximum may move inwards when samples go, but the
// gain by that is of second order too: r = y, H = 0 there. A floored residual (exact_fit) is no
// maximum of anything: there is no answer then.
struct LeftOutEvidence {
  // Per row, or per group: the above, mean over the columns that vary. In nats, not per sample.
  std::vector<double> units;
  // What leaving out both of a pair (sampled_pairs(n)) changes beyond each of them,
  // -L + L_-i + L_-j - L_-ij, and all three of a triple (sampled_triples(n)) beyond its pairs and
  // each, likewise; empty for groups.
  std::vector<double> pairs;
  std::vector<double> triples;
};

// `reduced` and `columns` must come from these rows and targets, all of them. groups: empty, or a
// code 0, 1, ... for every row. Empty when a column has no proper maximum, or a group is too large
// for its block to be worth its cost.
// Cost: 2 n p^2 flops for the rotation of all rows and 2 n p C for residuals, in float for large
// problems of float files: an interval needs no more digits.
std::optional<LeftOutEvidence> leave_out_evidence(ThreadPool& pool, const RowSource& rows,
                                                  const Targets& targets, const Reduced& reduced,
                                                  const std::vector<EvidenceColumn>& columns,
                                                  std::span<const Label> groups);

// Whether all groups are small enough for that.
bool groups_are_small(std::span<const Label> groups);

}  // namespace assay
