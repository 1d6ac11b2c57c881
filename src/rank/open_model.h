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

// What metrics on n x Z source probabilities hold in memory, in bytes.
Index probabilities_memory(Index rows, Index columns);

// What the source model's scores of its classes are read as.
enum class SourceScores { unread, probabilities, weights };

// `wanted`: unread where nobody will ask for them. Throws Error, also when what those metrics
// hold exceeds the limit.
OpenModel open_model(const Model& files, SourceScores wanted, Index memory_limit);

}  // namespace assay
