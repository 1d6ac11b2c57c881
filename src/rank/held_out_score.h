#pragma once

#include <optional>
#include <span>

#include "assay/rank.h"
#include "assay/targets.h"

namespace assay {

// Whether classes have fewer labels than accuracies need (metrics/held_out.h).
bool has_few_labels(TargetKind kind, Index rows, Index classes);

// The mean of what was held out (Score::held_out, or LeftOutEvidence::units: an entry per row, or
// per group where groups are taken as blocks), with what every row or group contributes to it where
// intervals are wanted. Nothing where nothing could be held out.
std::optional<HeldOutLikelihood> held_out_score(std::span<const double> added,
                                                const Targets& targets,
                                                std::span<const Label> groups, bool intervals);

// What a model's vote in the consensus goes by: the held-out log likelihood where the result says
// so, else the score; turned so that higher is better.
double vote_of(const RankResult& result, const MetricScore& score);

// Of few labels, lets the consensus go by held-out log likelihoods where two or more of its metrics
// know them of every model; those that do not have no say then. Notes what was done.
void use_held_out(RankResult& result);

}  // namespace assay
