#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/evaluate/evaluate.h"

namespace assay {

// One data set and how the metrics did on it.
struct DatasetEvaluation {
  std::string name = {};
  Evaluation evaluation = {};
};

// How well one column predicted the truths of several data sets. Each measure is the
// plain mean over the data sets on which it exists, every data set counting the same
// whatever its number of models; nullopt when it exists on none.
struct MeanQuality {
  std::string metric = {};
  bool baseline = false;  // a static column
  Index datasets = 0;     // with at least two models: what top1 ... regret3 are the mean of
  Index correlated = 0;   // of these, where the correlations exist as well
  Index models = 0;       // with a score and a truth, summed over data sets
  std::optional<double> kendall = {};
  std::optional<double> weighted_kendall = {};
  std::optional<double> pearson = {};
  std::optional<double> spearman = {};
  std::optional<double> agreement = {};
  std::optional<double> top1 =
      {};  // share of data sets on which the metric's best model is the best
  std::optional<double> top3 = {};
  std::optional<double> regret1 = {};
  std::optional<double> regret3 = {};
  std::vector<std::string> missing = {};  // "dataset/model" without a value in this column
};

// One row per name: metrics in the order in which the data sets name them, then
// baselines. A data set that does not have the column is not averaged over.
std::vector<MeanQuality> mean_quality(std::span<const DatasetEvaluation> datasets);

}  // namespace assay
