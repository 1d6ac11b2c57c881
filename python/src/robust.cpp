#include "assay/robust.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "arrays.h"
#include "assay/error.h"
#include "bindings.h"
#include "core/clock.h"
#include "hub/networks.h"
#include "robust/robust_probe_report.h"
#include "robust/synbench_report.h"

namespace assay::python {

namespace py = pybind11;

namespace {

Norm norm_of(const std::string& name) {
  if (name == "1") return Norm::one;
  if (name == "2") return Norm::two;
  if (name == "inf") return Norm::infinity;
  fail_input(fmt::format("`norm` '{}': expected 1, 2 or inf", name));
}

std::vector<std::filesystem::path> paths_of(const py::handle& list) {
  std::vector<std::filesystem::path> out;
  for (const auto& path : list.cast<std::vector<std::string>>()) out.emplace_back(path);
  return out;
}

// What is said of networks besides; representations bring their own scales and samples.
void set_networks(const py::dict& options, SynbenchRequest& request) {
  const NetworkSources found = require_networks(paths_of(options["networks"]));
  if (found.networks.empty()) fail_input(found.failed.front().error);
  request.networks = found.networks;
  request.samples = options["samples"].cast<Index>();
  request.input_size = options["input_size"].cast<Index>();
  if (!options["scales"].is_none()) request.scales = options["scales"].cast<std::vector<double>>();
}

// `models`: the arrays of each by their names in an .npz file; "networks" in `options`: files and
// hubs.
py::dict robust_score(const std::map<std::string, std::map<std::string, py::array>>& models,
                      const py::dict& options, const py::dict& run) {
  const double started = monotonic_seconds();
  const RunOptions running = run_options(run);
  LongCall call(running.progress);
  SynbenchRequest request;
  for (const auto& [name, arrays] : models) {
    const auto member = [&, &model = name, &members = arrays](const std::string& key) {
      return array_of(members.at(key), model + ":" + key);
    };
    request.given.push_back({name, member("scales"), member("train"), member("test"),
                             member("train_labels"), member("test_labels")});
  }
  if (options.contains("networks")) set_networks(options, request);
  const auto world = [&](const char* name) -> std::optional<Array> {
    if (!options.contains(name)) return std::nullopt;
    return array_of(options[name].cast<py::array>(), name);
  };
  request.world = {world("mean"), world("covariance"), world("factor")};
  request.epsilons = options["epsilon"].cast<std::vector<double>>();
  request.thresholds = options["threshold"].cast<std::vector<double>>();
  request.relative = !options["absolute"].cast<bool>();
  request.norm = norm_of(options["norm"].cast<std::string>());
  request.eigenbasis = options["literal"].cast<bool>();
  request.class_prior = options["class_prior"].cast<double>();
  request.seed = running.seed;
  request.memory_limit = running.memory_bytes();
  SynbenchResult result;
  int threads = 0;
  call.run([&] {
    ThreadPool pool(running.threads);
    pool.watch(call.watch());
    threads = pool.threads();
    result = synbench_hub(pool, request, call.progress());
  });
  py::dict out;
  out["json"] = json_text(robust_json(result, request), "robust_score", running, threads, started,
                          result.inputs);
  out["text"] = robust_table(result, request);
  return out;
}

py::dict robust_probe(const py::dict& options, const py::dict& run) {
  const double started = monotonic_seconds();
  const RunOptions running = run_options(run);
  LongCall call(running.progress);
  RobustProbeRequest request;
  request.inputs = paths_of(options["models"]);
  request.images.data = options["data"].cast<std::string>();
  request.images.input_size = options["input_size"].cast<Index>();
  request.best_epsilon = options["epsilon"].is_none();
  if (!request.best_epsilon) request.epsilons = options["epsilon"].cast<std::vector<double>>();
  request.runs = options["runs"].cast<Index>();
  request.steps = options["steps"].cast<Index>();
  request.final_steps = options["final_steps"].cast<Index>();
  request.restarts = options["restarts"].cast<Index>();
  request.queries = options["queries"].cast<Index>();
  request.epochs = options["epochs"].cast<Index>();
  request.batch = options["batch_size"].cast<Index>();
  request.rate = options["lr"].cast<double>();
  request.seed = running.seed;
  request.memory_limit = running.memory_bytes();
  RobustProbeResult result;
  int threads = 0;
  call.run([&] {
    ThreadPool pool(running.threads);
    pool.watch(call.watch());
    threads = pool.threads();
    result = robust_probe_hub(pool, request, call.progress());
  });
  py::dict out;
  out["json"] = json_text(robust_probe_json(result), "robust_probe", running, threads, started,
                          result.inputs);
  out["text"] = robust_probe_table(result);
  return out;
}

}  // namespace

void bind_robust(py::module_& module) {
  module.def("robust_score", &robust_score);
  module.def("robust_probe", &robust_probe);
}

}  // namespace assay::python
