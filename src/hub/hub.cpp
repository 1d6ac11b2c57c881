#include "assay/hub.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"

namespace assay {

ModelList models_by_name(const Hub& hub) {
  ModelList sorted{hub.models, {}};
  std::ranges::sort(sorted.models, {}, &Model::name);
  const auto twice = std::ranges::adjacent_find(sorted.models, {}, &Model::name);
  if (twice != sorted.models.end())
    fail_input(fmt::format("two models are called '{}'; rename one", twice->name));
  return sorted;
}

}  // namespace assay
