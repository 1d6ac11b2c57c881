#include "assay/hub.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"

namespace assay {

Catalogue given_models(const GivenHub& hub) {
  Catalogue catalogue{hub.models, {}};
  std::ranges::sort(catalogue.models, {}, &ModelFiles::name);
  const auto twice = std::ranges::adjacent_find(catalogue.models, {}, &ModelFiles::name);
  if (twice != catalogue.models.end())
    fail_input(fmt::format("two models are called '{}'; rename one", twice->name));
  return catalogue;
}

}  // namespace assay
