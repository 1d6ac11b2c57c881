#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/types.h"
#include "curve/run_probes.h"

namespace assay {

// A curve by what it is made of: the losses of the seeds, and what every unit to judge by (a row, a
// group of rows, or a random bundle of them where there are thousands) adds to their mean.
struct SeedCurves {
  std::vector<Index> sizes;  // K, ascending
  Matrix losses;             // S x K
  Matrix contributions;      // U x K, columns sum to 0; no rows where losses of rows are not known
  // Of one seed's loss, K: the variance due to its rows to judge by that other seeds do not share.
  Vector judged_variance;
  Index pool = 0;  // rows that the seeds draw theirs from

  Index seeds() const { return losses.rows(); }
  Vector mean() const { return losses.colwise().mean().transpose(); }
};

// Which unit each row to judge by belongs to.
struct JudgeUnits {
  std::vector<Index> of_row;
  Index count = 0;
};

// Rows by themselves, or by groups; some thousands of units at most.
JudgeUnits judge_units(Index rows, std::span<const Label> groups);

// `held_out`: of every seed the rows that judged, empty where all seeds have the same ones; every
// seed has every size. `errors`: the share of wrong answers takes the place of the loss.
SeedCurves seed_curves(const std::vector<FinishedProbe>& probes,
                       const std::vector<std::vector<Index>>& held_out, const JudgeUnits& units,
                       Index pool, bool errors);

// One curve with the sizes of both; of a size that both have, the first's. Same seeds and units.
SeedCurves merged(const SeedCurves& first, const SeedCurves& second);

// The same normal numbers for every model, so that differences between models are paired.
struct Multipliers {
  Matrix units;   // B x U
  Matrix seeds;   // B x S
  Vector spread;  // B, uniform: which of the plausible spreads
};
Multipliers draw_multipliers(Index draws, Index units, Index seeds, std::uint64_t seed);

// B x K: the mean curve as it would have come out with other rows, a draw per row. To it are added
//
//     sum_u g_u c_u                       other rows to judge by, c_u the contributions
//     sigma(n) sqrt(rho + (1 - rho) / S) z    other rows to train on
//
// with normal g, and z in the directions in which the seeds differ. Orders of one pool overlap, so
// the seeds differ by less than training sets drawn anew would: of the variance sigma^2 they show
// 1 - rho. The excess loss is about a quadratic form of the estimate, and estimates from n of N
// rows correlate by n / N, so rho = (n / N)^2. sigma(n)^2 = alpha n^-gamma has the posterior that
// the seeds' variances give it, drawn anew every time: few seeds know their spread badly.
Matrix loss_draws(const SeedCurves& curves, const Multipliers& multipliers);

}  // namespace assay
