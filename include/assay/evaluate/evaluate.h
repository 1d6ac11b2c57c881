#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/types.h"

namespace assay {

// One number per model: a metric's scores, or something known beforehand such as
// the number of parameters. A model without a value is simply absent.
struct ScoreColumn {
  std::string name = {};
  bool higher_is_better = true;
  std::map<std::string, double> values = {};  // model -> score
};

// What the models turned out to be worth, and the static columns beside it that a
// metric has to beat.
struct Truth {
  std::string column = {};
  bool higher_is_better = true;
  std::map<std::string, double> values = {};  // model -> measured value
  std::vector<ScoreColumn> baselines = {};
};

// How well one column predicted the truth. Scores and truth are first turned so
// that higher is better, so 1 is always perfect agreement. What does not exist is
// nullopt: everything when fewer than two models have both a score and a truth, for
// there is nothing to choose from, and correlations with a constant side.
//
// A metric is never credited for luck: models with equal scores are taken in the
// worst order, lowest truth first. Ties in the truth are no fault of the metric:
// any of the models that share the best truth is a hit.
struct MetricQuality {
  std::string metric = {};
  bool baseline = false;               // a static column of the truth file
  Index models = 0;                    // with a score and a truth; all that follows is about them
  std::optional<double> kendall = {};  // see correlation.h
  std::optional<double> weighted_kendall = {};
  std::optional<double> pearson = {};
  std::optional<double> spearman = {};
  std::optional<double> agreement = {};  // (kendall + 1) / 2: chance that a pair is ordered right
  std::optional<bool> top1 = {};         // the metric's best model has the best truth
  std::optional<double> top3 = {};  // share of the metric's three best among the truth's three best
  std::optional<double> regret1 = {};     // best truth minus the truth of the metric's best model
  std::optional<double> regret3 = {};     // best truth minus the best truth among its three best
  std::vector<std::string> missing = {};  // models of both files that this column has no value for
};

struct Evaluation {
  std::vector<MetricQuality> metrics = {};       // one per score column, then one per baseline
  Index models = 0;                              // with any score and a truth
  std::vector<std::string> only_in_scores = {};  // sorted; not used
  std::vector<std::string> only_in_truth = {};   // sorted; not used
};

// Compares every score column and every baseline with the truth, over the models
// that both sides know. A missing cell leaves its model out of that column's row
// only. NaN scores and truths that are not finite count as missing. With fewer than
// three models "three best" means all of them. Regret is in the truth's unit and
// never negative.
//
// Rows are known by name, so a baseline that has the name of a score column is left
// out: its row is already there. Baselines see the models that the metrics see,
// not the truth's others, or their rows could not be compared.
Evaluation evaluate(const std::vector<ScoreColumn>& scores, const Truth& truth);

}  // namespace assay
