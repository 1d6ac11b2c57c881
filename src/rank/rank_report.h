#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "assay/rank.h"
#include "report/screen.h"

namespace assay {

// One result, four readers. No number is computed here that the result does not hold.
std::string rank_heading(const RankResult& result);  // the data in one line
std::string rank_table(const RankResult& result, const Screen& screen = {});
std::string rank_verdict(const RankResult& result);  // one paragraph in words
std::string rank_csv(const RankResult& result);      // name, rank, ... one column per metric
nlohmann::ordered_json rank_json(const RankResult& result);

}  // namespace assay
