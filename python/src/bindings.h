#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "assay/hub.h"
#include "assay/prior.h"
#include "assay/thread_pool.h"
#include "long_call.h"
#include "report/provenance.h"

namespace assay::python {

// What every long call takes beside its own arguments.
struct RunOptions {
  std::uint64_t seed = 0;
  int threads = 0;           // 0: one per core
  std::string memory_limit;  // empty: the command's default
  pybind11::object progress;

  Index memory_bytes() const;
};

// Reads "seed", "threads", "memory_limit" and "progress".
RunOptions run_options(const pybind11::dict& options);

// (name, features, source probabilities or None) of every model.
using GivenModels = std::vector<std::tuple<std::string, pybind11::array, pybind11::object>>;
std::vector<Model> models_of(const GivenModels& models);

// ("features" or "kernel" or "labels", name, array) or ("views", name, V).
using PriorPart = std::tuple<std::string, std::string, pybind11::object>;
GivenPriorPart part_of(const PriorPart& part);

// The JSON of the command line, as text: the Python side reads the same digits as anybody.
std::string json_text(nlohmann::ordered_json json, const std::string& function,
                      const RunOptions& options, int threads, double started,
                      const std::vector<FileDigest>& inputs);

void bind_cache(pybind11::module_& module);
void bind_rank(pybind11::module_& module);
void bind_evaluate(pybind11::module_& module);
void bind_logme(pybind11::module_& module);
void bind_moments(pybind11::module_& module);
void bind_curve(pybind11::module_& module);
void bind_prior(pybind11::module_& module);
void bind_track(pybind11::module_& module);
void bind_robust(pybind11::module_& module);
void bind_teachers(pybind11::module_& module);

}  // namespace assay::python
