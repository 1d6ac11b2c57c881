#pragma once

#include <functional>
#include <vector>

#include "assay/curve.h"
#include "assay/types.h"

namespace assay {

// Guarantees of the paper's Appendices A and B. They hold for losses in [0, 1] (others are cut off
// at 1) that do not rise with n, and for independent draws: K blocks of M + 1 rows that share
// nothing, of which the first n train a probe and the last one tests it.

// The mean truncated loss of probes of n rows over the blocks, 1 <= n <= M.
using MeanLoss = std::function<double(Index n)>;

// Theorem 4: with K blocks the surplus is known to within this, at confidence 1 - delta.
double surplus_radius(Index most_rows, Index blocks, double delta);

// Blocks that Algorithm 1's `tight` needs. The paper prints a quarter of it: L - L^ > epsilon / 2
// has probability exp(-K epsilon^2 / 2), so K >= 2 ln(1 / delta) / epsilon^2.
Index surplus_blocks(double epsilon, double delta);

// Blocks that Algorithm 2 needs for `levels` rounds: 2 ln(20 levels / delta) / epsilon^2. Its
// rounds may share blocks, since the union bound over sizes asks for no independence between them.
Index complexity_blocks(double epsilon, double delta, int levels);

SurplusCertificate certify_surplus(const MeanLoss& loss, double epsilon, Index most_rows);

// Tests against epsilon / 2, so what it finds is about the complexity of epsilon / 2, an upper
// bound of that of epsilon.
ComplexityCertificate certify_complexity(const MeanLoss& loss, double epsilon, Index most_rows,
                                         int levels);

}  // namespace assay
