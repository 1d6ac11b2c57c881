#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/evaluate.h"

namespace assay {

// A difference or a value with the ends of its interval.
struct TauEstimate {
  double value = 0.0;
  std::optional<double> low =
      {};  // both or none: none with fewer than four models or two data sets
  std::optional<double> high = {};
};

// The metric with the highest weighted tau, and which others it is not shown to be better than.
struct LeadingMetric {
  std::string name;
  TauEstimate tau;
  std::vector<std::string> not_separable = {};  // other metrics, best first
  std::string baseline = {};                    // the best static column; empty: there is none
  std::optional<double> baseline_tau = {};
  bool beats_baseline = false;
};

// Intervals over models, by the delete-one jackknife (of more than 40 models: 40 groups of them) of
// weighted tau and of differences between two metrics on the models that both know, with 1 / models
// added to the standard error in squares: one model in another place must not surprise, or a
// perfect order would have no error at all. On Gaussian pairs of 6 to 30 models this covers in 91
// to 100 % of the cases at 95 % (docs/guide/evaluate.md). Over several data sets the unit is the
// data set. Differences are tested together (Bonferroni). Nothing when no metric has a weighted
// tau.
std::optional<LeadingMetric> leading_metric(const std::vector<ComparedDataset>& datasets,
                                            const ManyEvaluation& result, double level = 0.95);

}  // namespace assay
