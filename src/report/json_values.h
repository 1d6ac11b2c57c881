#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace assay {

// A number that may not exist is null (the contract's rule).
inline nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace assay
