#include "arrays.h"
#include "assay/error.h"
#include "assay/version.h"
#include "bindings.h"
#include "core/clock.h"
#include "core/memory.h"

namespace assay::python {

namespace py = pybind11;

Index RunOptions::memory_bytes() const {
  return memory_limit.empty() ? default_memory_limit() : parse_bytes(memory_limit);
}

RunOptions run_options(const py::dict& options) {
  RunOptions out;
  out.seed = options["seed"].cast<std::uint64_t>();
  out.threads = options["threads"].cast<int>();
  out.memory_limit = options["memory_limit"].cast<std::string>();
  limit_reading(out.memory_bytes());
  out.progress = options["progress"];
  return out;
}

std::vector<Model> models_of(const GivenModels& models) {
  std::vector<Model> out;
  for (const auto& [name, features, probabilities] : models) {
    Model model{name, {}, {}};
    model.rows = rows_of(features, name);
    if (!probabilities.is_none())
      model.probability_rows = rows_of(probabilities.cast<py::array>(), name + ":probs");
    out.push_back(std::move(model));
  }
  return out;
}

std::string json_text(nlohmann::ordered_json json, const std::string& function,
                      const RunOptions& options, int threads, double started,
                      const std::vector<FileDigest>& inputs) {
  json["provenance"] = provenance_json(
      {{"assay." + function}, options.seed, threads, monotonic_seconds() - started}, inputs);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

namespace {

// Python's own kinds of errors, with the texts of the command line.
void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const Error& error) {
    PyObject* kind = error.code() == ErrorCode::unknown ? PyExc_KeyError
                     : error.code() == ErrorCode::io    ? PyExc_OSError
                                                        : PyExc_ValueError;
    PyErr_SetString(kind, error.what());
  }
}

}  // namespace
}  // namespace assay::python

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of assay; use the functions of the package.";
  module.attr("__version__") = std::string(assay::kVersion);
  module.def("memory_limit", [](const std::string& text) {
    assay::python::RunOptions options;
    options.memory_limit = text;
    return options.memory_bytes();
  });
  pybind11::register_exception_translator(assay::python::translate);
  assay::python::bind_cache(module);
  assay::python::bind_rank(module);
  assay::python::bind_evaluate(module);
  assay::python::bind_logme(module);
  assay::python::bind_moments(module);
  assay::python::bind_curve(module);
  assay::python::bind_prior(module);
  assay::python::bind_robust(module);
  assay::python::bind_track(module);
  assay::python::bind_teachers(module);
}
