#pragma once

#include <optional>
#include <vector>

#include "assay/rank.h"

namespace assay {

// What guessing without any features would score by this metric: the share of the commonest class
// of an accuracy, the mean of numbers. LogME's is the evidence of no features where an intercept is
// fitted, and else that of a feature that is 1 everywhere: features whose mean is not zero can
// imitate that one, and would seem to know something. Empty for metrics that give no account of
// rows they have not seen (H-score, PACTran): in them noise looks like signal.
std::optional<double> score_of_guessing(const RankResult& result, const MetricScore& score);

// One model's score that lies highest above guessing, in standard errors of its own interval.
struct AboveGuessing {
  const ScoredModel* model = nullptr;
  const MetricScore* score = nullptr;
  double guess = 0.0;
};

// Which models are shown to beat guessing by any of these metrics. All tests together are wrong
// with probability 1 - level at most (Bonferroni over models and metrics, one-sided).
struct Guessing {
  // In the order of RankResult::models; empty for a model of which nobody can tell: without
  // intervals or metrics of the kind, or where LogME alone is asked and lies between the evidence
  // of no features and that of a constant one (features of mean zero may know something there).
  std::vector<std::optional<bool>> beaten_by;
  AboveGuessing closest = {};  // the best attempt, or empty

  std::optional<bool> beaten() const;  // by any model; empty when that cannot be told
};
Guessing judge_guessing(const RankResult& result);

}  // namespace assay
