#pragma once

#include <nlohmann/json.hpp>
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
std::string rank_verdict(const RankResult& result);  // one paragraph in words
std::string rank_csv(const RankResult& result);      // name, rank, ... one column per metric
nlohmann::ordered_json rank_json(const RankResult& result);

// What was read: labels, groups and the like, then the models' files.
std::vector<FileDigest> ranked_inputs(const RankResult& result);

}  // namespace assay
