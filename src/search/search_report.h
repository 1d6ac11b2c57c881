#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "assay/search.h"
#include "report/screen.h"

namespace assay {

std::string search_heading(const SearchResult& result);  // the race in one line
std::string search_table(const SearchResult& result, const Screen& screen = {});
std::string search_verdict(const SearchResult& result);  // what is settled and what is not
nlohmann::ordered_json search_json(const SearchResult& result);
std::string search_csv(const SearchResult& result);

}  // namespace assay
