#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "assay/rank.h"
#include "report/screen.h"

namespace assay {

// One result, four readers. No number is computed here that the result does not hold.
// What the intervals of the order rest on: "rows", "groups", "folds", or "none".
std::string interval_source(const RankResult& result);

// Labelled samples that would separate a model from the winner it is tied with, if the difference
// holds; empty where no number would.
std::optional<double> labels_to_separate(const Place& place, Index samples);

std::string rank_heading(const RankResult& result);  // the data in one line
std::string rank_table(const RankResult& result, const Screen& screen = {});

// Of hub metrics with parts (PACTran, appendix B.5): for every setting how much more one part
// varies over the models than the other, and Kendall's tau with the metric that chooses the setting
// and, where it is known, with the truth (model -> value, higher is better). Empty where there are
// none.
std::string settings_table(const RankResult& result, const std::map<std::string, double>& truth,
                           const Screen& screen = {});
std::optional<double> truth_agreement(const RankResult& result, const Metric* metric,
                                      const SettingStudy& study,
                                      const std::map<std::string, double>& truth);

std::string rank_verdict(const RankResult& result);  // one paragraph in words
std::string rank_csv(const RankResult& result);      // name, rank, ... one column per metric
nlohmann::ordered_json rank_json(const RankResult& result);

// What was read: labels, groups and the like, then the models' files.
std::vector<FileDigest> ranked_inputs(const RankResult& result);

}  // namespace assay
