#pragma once

#include <string>
#include <vector>

#include "assay/hub.h"
#include "assay/prior.h"

namespace assay {

struct PriorModel {
  std::string name;
  Rows rows;
  bool is_kernel = false;  // the rows are those of an n x n kernel matrix: `kernel:FILE`
};

// The models of a request, in the order of their names; those that cannot be read or have other
// rows than the first go to `failed`. Throws Error when nothing is left, or a single row.
std::vector<PriorModel> open_prior_models(const PriorScoreRequest& request,
                                          std::vector<FailedModel>& failed);

}  // namespace assay
