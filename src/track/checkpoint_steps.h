#pragma once

#include <string>
#include <vector>

#include "assay/hub.h"

namespace assay {

// The last number in a name: 1200 of "run3_step1200". Throws Error when there is none.
double step_in(const std::string& name);

// Which model is at which step, ascending. `steps`: in the order of the models, or empty: from the
// names. Throws Error for other numbers of them and steps that occur twice.
struct SteppedModel {
  std::size_t model = 0;
  double step = 0.0;
};
std::vector<SteppedModel> models_by_step(const std::vector<Model>& models,
                                         const std::vector<double>& steps);

}  // namespace assay
