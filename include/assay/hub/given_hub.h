#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/targets.h"
#include "assay/hub/catalogue.h"
#include "assay/hub/failed_model.h"
#include "assay/hub/model_cost.h"

namespace assay {

// Models that a request does not find as files: those of networks that were run on images
// (extracted_hub), or what a program that calls the library has in memory. They may come in any
// order and are taken by name, as files are.
struct GivenHub {
  std::vector<ModelFiles> models = {};          // empty: the request's files
  std::optional<Targets> targets = {};          // nothing: the request's labels
  std::optional<Targets> groups = {};           // nothing: the request's groups
  std::map<std::string, ModelCost> costs = {};  // where they are known
  // Said on the way to the models, to be reported with the result.
  std::vector<FailedModel> failed = {};
  std::vector<std::string> notes = {};
  std::vector<FileDigest> inputs = {};  // weights and images
};

// The models by name. Throws Error when two share one.
Catalogue given_models(const GivenHub& hub);

}  // namespace assay
