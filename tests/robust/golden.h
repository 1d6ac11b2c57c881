#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/npy.h"
#include "robust/synbench.h"
#include "support.h"

namespace assay::test {

// tests/golden/synbench: values of independent programs, see the README there.
inline nlohmann::json synbench_golden() {
  std::ifstream file(golden("synbench/synbench.json"));
  return nlohmann::json::parse(file);
}

// An n x D (or n) array of doubles as D x n, one sample per column.
inline Matrix golden_columns(const std::string& name) {
  const Array array = open_npy(golden("synbench/" + name + ".npy"));
  const Index n = array.shape[0];
  const Index dim = array.rank() > 1 ? array.shape[1] : 1;
  Matrix out(dim, n);
  for (Index i = 0; i < n * dim; ++i) out.data()[i] = number_at(array, i);
  return out;
}

inline std::vector<Label> golden_labels(const std::string& name) {
  const Array array = open_npy(golden("synbench/" + name + ".npy"));
  std::vector<Label> out;
  for (Index i = 0; i < array.size(); ++i) out.push_back(static_cast<Label>(integer_at(array, i)));
  return out;
}

inline LabelledRepresentation golden_representation(const std::string& samples,
                                                    const std::string& labels) {
  return {golden_columns(samples), golden_labels(labels)};
}

inline std::vector<double> paper_scales() {
  std::vector<double> out;
  for (int i = 1; i < 50; ++i) out.push_back(i / 10.0);
  return out;
}

}  // namespace assay::test
