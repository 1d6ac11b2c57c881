#include "rank/open_model.h"

#include <fmt/format.h>

#include <utility>

#include "assay/error.h"
#include "assay/features.h"
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

OpenModel open_model(const Model& files, bool probabilities) {
  OpenModel model{files.name, open_rows(files), {}};
  if (!probabilities) return model;
  const std::optional<Rows> source = probability_rows(files);
  if (!source) return model;
  if ((*source)->rows() != model.rows->rows()) {
    fail_input(fmt::format("{}: {} rows of probabilities, but {} has {} rows of features",
                           (*source)->where(), (*source)->rows(), model.rows->where(),
                           model.rows->rows()));
  }
  model.probabilities = read_probabilities(**source);
  return model;
}

}  // namespace assay
