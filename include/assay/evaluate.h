#pragma once

#include <compare>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/types.h"

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

// The value of a group column, sorted by its number first and its text second.
struct GroupLabel {
  double order = 0.0;  // the number, or the lower edge of its band; 0 for text
  std::string text = {};

  auto operator<=>(const GroupLabel&) const = default;
};

// A band of the numbers in a group column, edges included.
struct GroupBand {
  double first = 0.0;
  double last = 0.0;  // infinite: and all above
  std::string text = {};
};

// "2-9,10-99,100+": ascending, none overlapping. Throws Error.
std::vector<GroupBand> parse_bands(std::string_view list);

// One data set to evaluate. A model without a label belongs to no group.
struct ComparedDataset {
  std::string name = {};
  std::vector<ScoreColumn> scores = {};
  Truth truth = {};
  std::map<std::string, GroupLabel> groups = {};  // model -> group
};

struct GroupEvaluation {
  std::string value = {};
  std::vector<MeanQuality> metrics = {};  // averaged over `datasets`
  std::vector<std::string> datasets = {};
  Index models = 0;  // with a score and a truth, summed over data sets
};

// Too few models of a data set have this value for correlations to mean anything.
struct SkippedGroup {
  std::string value = {};
  std::string dataset = {};
  Index models = 0;
};

struct ManyEvaluation {
  std::vector<MeanQuality> metrics = {};
  std::vector<DatasetEvaluation> datasets = {};  // in the order given
  std::vector<GroupEvaluation> groups = {};      // sorted by value
  std::vector<SkippedGroup> skipped = {};
  std::vector<std::string> ungrouped = {};  // "dataset" or "dataset/model" without a label
};

// The fewest models of one data set that make a group where groups divide data sets.
inline constexpr Index kSmallestGroup = 3;

// Evaluates every data set by itself and averages (see MeanQuality). Models are
// compared within their data set only.
//
// Where no data set has more than one label, groups are sets of data sets, averaged.
// Where one has several, groups are models of the same label within each data set,
// compared among themselves and then averaged by label; those of fewer than
// kSmallestGroup models with score and truth are skipped. Without labels, no groups.
ManyEvaluation evaluate_many(const std::vector<ComparedDataset>& datasets);

}  // namespace assay
