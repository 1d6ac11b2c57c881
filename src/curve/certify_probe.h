#pragma once

#include <cstdint>
#include <span>

#include "assay/curve.h"
#include "assay/thread_pool.h"
#include "curve/measures.h"
#include "curve/probes.h"

namespace assay {

// Algorithms 1 and 2 on disjoint blocks of these rows of `data.train`, or the reason why the rows
// do not suffice. `measured`: the curve found before, which says how many rows epsilon / 2 takes.
// `data` must be standardised by rows that no block contains.
CurveCertificate certify_curve(ThreadPool& pool, const ProbeData& data,
                               const ProbeSettings& settings, LossKind loss,
                               const std::vector<CurvePoint>& measured, double epsilon,
                               double delta, Index most_rows, std::span<const Index> rows,
                               std::uint64_t seed);

}  // namespace assay
