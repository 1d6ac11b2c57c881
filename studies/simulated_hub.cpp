#include "simulated_hub.h"

#include <cmath>

namespace assay::study {
namespace {

Matrix normals(Random& random, Index rows, Index cols) {
  Matrix values(rows, cols);
  for (double& value : values.reshaped()) value = random.normal();
  return values;
}

Matrix noise(const Scenario& scenario, Random& random) {
  Matrix values = normals(random, scenario.samples, scenario.dim);
  if (!scenario.heavy_tails) return values;
  for (double& value : values.reshaped()) {  // t_3 has variance 3
    double chi = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double z = random.normal();
      chi += z * z;
    }
    value /= std::sqrt(chi);
  }
  return values;
}

std::vector<std::int64_t> labels_of(const Scenario& scenario) {
  std::vector<std::int64_t> labels;
  double upper = 0.0;
  for (std::size_t c = 0; c < scenario.class_shares.size(); ++c) {
    upper += scenario.class_shares[c];
    while (static_cast<double>(labels.size()) <
           upper * static_cast<double>(scenario.samples) - 0.5) {
      labels.push_back(static_cast<std::int64_t>(c));
    }
  }
  return labels;
}

}  // namespace

DataSet draw(const Scenario& scenario, std::uint64_t seed) {
  Random population(4242);
  Random random(seed * 7919 + 13);
  DataSet data;
  Matrix signal;  // n x D, before it is weakened
  if (scenario.class_shares.empty()) {
    signal = normals(random, scenario.samples, scenario.dim);
    const Matrix weights = normals(population, scenario.dim, 2);
    data.targets = targets_of_values(signal * weights + 2.0 * normals(random, scenario.samples, 2),
                                     {"y1", "y2"}, "simulated");
  } else {
    const Matrix centres =
        normals(population, static_cast<Index>(scenario.class_shares.size()), scenario.dim);
    data.targets = targets_of_classes(labels_of(scenario), "simulated");
    signal.resize(scenario.samples, scenario.dim);
    for (Index i = 0; i < scenario.samples; ++i) {
      signal.row(i) = centres.row(data.targets.labels[static_cast<std::size_t>(i)]);
    }
  }
  const Matrix common = std::sqrt(scenario.shared_noise) * noise(scenario, random);
  for (const double strength : scenario.strengths) {
    data.features.push_back(strength * signal + common +
                            std::sqrt(1.0 - scenario.shared_noise) * noise(scenario, random));
  }
  return data;
}

}  // namespace assay::study
