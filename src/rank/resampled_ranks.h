#pragma once

#include <span>
#include <vector>

#include "rank/ranking.h"

namespace assay {

// Ranks of models over resamples of the units (rows, groups or folds) that their scores come from.
//
// To first order a resample moves every score by the weighted sum of what its units contribute, so
// all scores of one resample are one draw from their joint distribution (joint_spread.h): nothing
// is fitted again, and what moves models or metrics together does so here. Every resample ranks the
// models by each metric and takes the mean of the ranks, as the consensus does.
struct ResampledRanks {
  Matrix mean_rank;                      // resamples x models; with one metric its rank
  std::vector<std::vector<Index>> low;   // per model: the rank in every resample, the better one
  std::vector<std::vector<Index>> high;  // and the worse one where ranks are equal
};

// columns: metrics x models. scale: of the deviations, below 1 for data that are larger.
ResampledRanks resample_ranks(std::span<const std::vector<Candidate>> columns, Index resamples,
                              double scale = 1.0);

// Units behind the candidates' contributions; 0 when there are none.
Index units_of(std::span<const std::vector<Candidate>> columns);

}  // namespace assay
