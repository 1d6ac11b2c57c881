#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "assay/evaluate/evaluate.h"
#include "assay/evaluate/mean_quality.h"

namespace assay {

// The value of a group column, sorted by its number first and its text second.
struct GroupLabel {
  double order = 0.0;  // the number, or the lower edge of its band; 0 for text
  std::string text = {};

  auto operator<=>(const GroupLabel&) const = default;
};

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
