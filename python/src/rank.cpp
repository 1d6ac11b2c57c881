#include "assay/rank.h"

#include <cmath>

#include "arrays.h"
#include "assay/error.h"
#include "bindings.h"
#include "core/clock.h"
#include "data/subsample.h"
#include "rank/rank_report.h"

namespace assay::python {

namespace py = pybind11;

namespace {

PactranSettings pactran_of(const py::dict& given) {
  PactranSettings out;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    std::optional<double>* const field = name == "alpha"    ? &out.alpha
                                         : name == "beta"   ? &out.beta
                                         : name == "sigma2" ? &out.sigma0_sq
                                         : name == "lambda" ? &out.lambda
                                                            : nullptr;
    if (field == nullptr)
      fail_input("`pactran`: expected alpha, beta, sigma2 or lambda, got '" + name + "'");
    *field = value.cast<double>();
  }
  return out;
}

// `models`, or `inputs` for files; labels and groups as arrays or as paths.
py::dict rank(const GivenModels& models, const std::vector<std::string>& inputs,
              const py::object& labels, const py::object& groups, const std::string& metrics,
              const std::string& by, double ci, const std::string& subsample,
              const py::dict& switches, const py::dict& run) {
  const double started = monotonic_seconds();
  const RunOptions options = run_options(run);
  LongCall call(options.progress);
  RankRequest request;
  request.inputs.assign(inputs.begin(), inputs.end());
  request.hub.models = models_of(models);
  if (py::isinstance<py::str>(labels)) {
    request.labels = labels.cast<std::string>();
  } else if (!labels.is_none()) {
    request.hub.targets = targets_of(labels.cast<py::array>(), "labels");
  }
  if (py::isinstance<py::str>(groups)) {
    request.groups = groups.cast<std::string>();
  } else if (!groups.is_none()) {
    request.hub.groups = targets_of(groups.cast<py::array>(), "groups");
  }
  choose_metrics(request, metrics, by);
  if (!(ci >= 0.0 && ci <= 0.9999)) fail_input("`ci` must be a number between 0 and 0.9999");
  request.level = ci;
  request.soft_labels = switches["soft_labels"].cast<bool>();
  if (switches["accuracy"].cast<bool>()) show_accuracy_first(request);
  const auto test_rows = switches["test_rows"].cast<Index>();
  if (test_rows < 0) fail_input("`test_rows` must be 0 or more");
  request.test_rows = test_rows;
  const py::object exact_rows = switches["knn_exact_rows"];
  if (!exact_rows.is_none()) {
    request.knn_exact_rows = exact_rows.cast<Index>();
    if (request.knn_exact_rows < 1000) fail_input("`knn_exact_rows` must be 1000 or more");
  }
  if (!switches["center"].is_none()) request.center = switches["center"].cast<bool>();
  request.controls = switches["controls"].cast<bool>();
  request.refit = switches["refit"].cast<bool>();
  const auto jackknife = switches["jackknife"].cast<std::string>();
  if (jackknife != "closed" && jackknife != "refit")
    fail_input("`jackknife` must be 'closed' or 'refit', got '" + jackknife + "'");
  if (jackknife == "refit") request.jackknife = Jackknife::refit;
  if (!subsample.empty()) {
    request.subsample = parse_subsample(subsample);
    request.level = 0.0;
  }
  if (switches.contains("source_weights"))
    request.source_weights = switches["source_weights"].cast<bool>();
  if (switches.contains("pactran"))
    request.pactran = pactran_of(switches["pactran"].cast<py::dict>());
  request.seed = options.seed;
  request.memory_limit = options.memory_bytes();
  RankResult result;
  int threads = 0;
  call.run([&] {
    ThreadPool pool(options.threads);
    pool.watch(call.watch());
    threads = pool.threads();
    result = rank_hub(pool, request, call.progress());
  });
  py::dict out;
  out["json"] =
      json_text(rank_json(result), "rank", options, threads, started, ranked_inputs(result));
  out["text"] = rank_heading(result) + "\n" + rank_table(result);
  out["csv"] = rank_csv(result);
  return out;
}

py::list metrics() {
  py::list out;
  for (const Metric& metric : all_metrics()) {
    py::dict row;
    row["name"] = metric.name;
    row["title"] = metric.title;
    row["summary"] = metric.summary;
    row["reference"] = metric.reference;
    row["unit"] = metric.unit;
    row["needs"] = metric.needs;
    row["direction"] = metric.direction == Direction::higher_is_better ? "higher" : "lower";
    row["default"] = is_default(metric);
    out.append(row);
  }
  return out;
}

}  // namespace

void bind_rank(py::module_& module) {
  module.def("rank", &rank);
  module.def("metrics", &metrics);
}

}  // namespace assay::python
