#pragma once

#include <string>
#include <vector>

#include "assay/targets.h"
#include "assay/types.h"
#include "core/random.h"

namespace assay::study {

// A population of data sets on which several simulated models are known to differ.
struct Scenario {
  std::string name;
  Index samples = 0;
  Index dim = 0;
  std::vector<double> class_shares;  // empty: regression on two targets
  std::vector<double> strengths;     // of the signal in each model; equal strengths are true ties
  double shared_noise = 0.5;         // share of the noise that all models have in common
  bool heavy_tails = false;          // noise from Student's t with 3 degrees of freedom
};

// One draw: the same samples as every model sees them.
struct DataSet {
  std::vector<Matrix> features;  // one per model, n x D
  Targets targets;
};

// Class counts are fixed by the shares, everything else is random. The class centres (or the
// regression weights) belong to the population: they depend on the scenario, not on the draw.
DataSet draw(const Scenario& scenario, std::uint64_t seed);

}  // namespace assay::study
