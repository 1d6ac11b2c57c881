#pragma once

#include <optional>
#include <vector>

#include "assay/data/targets.h"
#include "assay/hub/catalogue.h"

namespace assay {

// What a program that calls the library has in memory already, in place of the files that a request
// would name. Models may come in any order; they are taken by name, as files are.
struct GivenHub {
  std::vector<ModelFiles> models = {};  // empty: the request's files
  std::optional<Targets> targets = {};  // nothing: the request's labels
  std::optional<Targets> groups = {};   // nothing: the request's groups
};

// The models by name. Throws Error when two share one.
Catalogue given_models(const GivenHub& hub);

}  // namespace assay
