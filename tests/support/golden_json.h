#pragma once

#include <fstream>
#include <nlohmann/json.hpp>

#include "support.h"

namespace assay::test {

inline nlohmann::json golden_json(const std::string& file) {
  std::ifstream stream(golden(file));
  return nlohmann::json::parse(stream);
}

// Rows one after another, as NumPy and PyTorch list them; samples are rows there and columns here.
inline Matrix columns_of(const nlohmann::json& rows_in_turn, Index rows) {
  const auto values = rows_in_turn.get<std::vector<double>>();
  return Eigen::Map<const Matrix>(values.data(), rows, static_cast<Index>(values.size()) / rows);
}

}  // namespace assay::test
