#include "rank/open_model.h"

#include <fmt/format.h>

#include <utility>

#include "assay/error.h"
#include "assay/features.h"
#include "core/memory.h"
#include "hub/open_rows.h"

namespace assay {
namespace {

// A file of their own, else a member of the only feature file.
std::optional<Rows> probability_rows(const Model& files) {
  if (!files.probabilities.empty()) return open_rows(files.probabilities);
  if (files.probability_rows) return files.probability_rows;
  if (files.features.size() == 1) return embedded_probabilities(files.features.front());
  return std::nullopt;
}

}  // namespace

// Those of the file, of the rows in hand, without the source classes that have no mass there, and
// what a metric makes of them.
Index probabilities_memory(Index rows, Index columns) {
  constexpr Index copies = 4;
  return copies * Index{sizeof(double)} * rows * columns;
}

OpenModel open_model(const Model& files, SourceScores wanted, Index memory_limit) {
  OpenModel model{files.name, open_rows(files), {}};
  if (wanted == SourceScores::unread) return model;
  const std::optional<Rows> source = probability_rows(files);
  if (!source) return model;
  if ((*source)->rows() != model.rows->rows()) {
    fail_input(fmt::format("{}: {} rows of probabilities, but {} has {} rows of features",
                           (*source)->where(), (*source)->rows(), model.rows->where(),
                           model.rows->rows()));
  }
  require_memory((*source)->where(), "what needs source probabilities",
                 probabilities_memory((*source)->rows(), (*source)->cols()), memory_limit,
                 "leave out `metric`s that need them");
  model.probabilities = wanted == SourceScores::weights ? read_source_weights(**source)
                                                        : read_probabilities(**source);
  return model;
}

}  // namespace assay
