#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "prior/task_prior.h"
#include "support.h"

namespace assay::test {

// tests/golden/taskpriors.json: inputs and values in 40 digits, by brute force or by enumeration.
inline const nlohmann::json& golden_tasks() {
  static const nlohmann::json all = [] {
    std::ifstream file(golden("taskpriors.json"));
    return nlohmann::json::parse(file);
  }();
  return all;
}

inline Matrix matrix_of_json(const nlohmann::json& rows) {
  Matrix out(static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()));
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j)
      out(i, j) = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
  return out;
}

inline Matrix golden_matrix(const std::string& name) {
  return matrix_of_json(golden_tasks().at(name));
}

template <typename T>
Kernel<T> kernel_of(const Matrix& rows, KernelKind kind = KernelKind::cosine, bool center = true,
                    Normalisation normalize = Normalisation::none) {
  KernelOptions options;
  options.kind = kind;
  options.center = center;
  options.normalize = normalize;
  return make_kernel<T>(pool(), *rows_of_matrix(rows, "rows"), options);
}

// A prior of one kernel z'z.
inline TaskPrior<double> prior_of_factor(const Matrix& z) {
  TaskPrior<double> prior;
  prior.kernels.push_back(kernel_of_factor<double>(z));
  return prior;
}

// The whole matrix.
template <typename T>
Matrix dense(const Kernel<T>& kernel) {
  return kernel.tile(0, kernel.count(), 0, kernel.count()).template cast<double>();
}

// Theorem 3.6 the plain way.
inline TaskMoments dense_moments(const Matrix& prior, const Matrix& model, double temperature,
                                 Graph graph = Graph::directed) {
  TaskMoments out;
  for (Index i = 0; i < prior.rows(); ++i) {
    for (Index j = 0; j < prior.cols(); ++j) {
      const bool pair = graph == Graph::undirected && i != j;
      const double s = 1.0 / (1.0 + std::exp(-(pair ? 2.0 : 1.0) * prior(i, j) / temperature));
      out.expectation += model(i, j) * s;
      out.variance += (pair ? 2.0 : 1.0) * model(i, j) * model(i, j) * s * (1.0 - s);
    }
  }
  return out;
}

template <typename T>
TaskMoments moments_of(const TaskPrior<T>& prior, const Kernel<T>& model, double temperature,
                       Graph graph = Graph::directed) {
  const Kernel<T>* const models[] = {&model};
  const double temperatures[] = {temperature};
  return task_moments<T>(pool(), prior, models, temperatures, graph).front();
}

}  // namespace assay::test
