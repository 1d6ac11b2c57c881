#pragma once

#include <optional>
#include <string>

#include "assay/hub.h"
#include "assay/rows.h"
#include "assay/types.h"

namespace assay {

// One model's features and, where they are known, its source probabilities.
struct OpenModel {
  std::string name;
  Rows rows;
  std::optional<Matrix> probabilities;
};

// `probabilities`: whether anybody will ask for them.
OpenModel open_model(const Model& files, bool probabilities);

}  // namespace assay
