#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "assay/similar.h"
#include "report/screen.h"

namespace assay {

std::string similar_table(const SimilarResult& result, const Screen& screen = {});
std::string similar_verdict(const SimilarResult& result);
nlohmann::ordered_json similar_json(const SimilarResult& result);

}  // namespace assay
