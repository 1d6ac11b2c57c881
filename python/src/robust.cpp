#include "assay/robust.h"

#include <fmt/format.h>

#include <map>

#include "arrays.h"
#include "assay/error.h"
#include "bindings.h"
#include "core/clock.h"
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

// `models`: the arrays of each by their names in an .npz file.
py::dict synbench(const std::map<std::string, std::map<std::string, py::array>>& models,
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
  out["json"] =
      json_text(robust_json(result, request), "synbench", running, threads, started, result.inputs);
  out["text"] = robust_table(result, request);
  return out;
}

}  // namespace

void bind_robust(py::module_& module) { module.def("synbench", &synbench); }

}  // namespace assay::python
