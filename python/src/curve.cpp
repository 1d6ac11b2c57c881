#include "assay/curve.h"

#include <fmt/format.h>

#include <map>

#include "arrays.h"
#include "bindings.h"
#include "core/clock.h"
#include "curve/curve_report.h"
#include "curve/probes.h"

namespace assay::python {

namespace py = pybind11;

namespace {

py::array_t<Index> row_numbers(std::span<const Index> rows) {
  // A copy: the learner may keep it.
  return py::array_t<Index>(static_cast<py::ssize_t>(rows.size()), rows.data());
}

// A loss, or a loss and an accuracy.
ProbeOutcome outcome_of(const py::object& answer) {
  ProbeOutcome outcome;
  try {
    if (py::isinstance<py::tuple>(answer) && py::len(answer) == 2) {
      outcome.loss = answer[py::int_(0)].cast<double>();
      outcome.accuracy = answer[py::int_(1)].cast<double>();
    } else {
      outcome.loss = answer.cast<double>();
    }
  } catch (const py::cast_error&) {
    throw py::type_error(
        fmt::format("a learner must return its loss on the validation rows, or (loss, accuracy); "
                    "got {}",
                    std::string(py::repr(answer))));
  }
  return outcome;
}

// `function` must outlive it.
Learner learner_of(LongCall& call, const py::object& function) {
  return [&call, &function](const LearnerTask& task) {
    ProbeOutcome outcome;
    call.on_caller([&] {
      outcome = outcome_of(function(row_numbers(task.train), row_numbers(task.validation)));
    });
    return outcome;
  };
}

template <typename T>
std::optional<T> optional_of(const py::dict& options, const char* key) {
  const py::object value = options[key];
  return value.is_none() ? std::nullopt : std::optional(value.cast<T>());
}

void read_options(const py::dict& options, CurveRequest& request) {
  if (const auto probe = optional_of<std::string>(options, "probe"))
    request.probe = probe_named(*probe);
  if (const auto loss = optional_of<std::string>(options, "loss")) request.loss = loss_named(*loss);
  request.rule = rule_named(options["rule"].cast<std::string>());
  request.sizes = options["sizes"].cast<std::vector<Index>>();
  request.size_count = options["size_count"].cast<Index>();
  request.seeds = options["seeds"].cast<Index>();
  request.epsilons = options["epsilon"].cast<std::vector<double>>();
  if (!py::isinstance<py::str>(options["l2"])) request.l2 = options["l2"].cast<double>();
  request.validation_share = options["validation_share"].cast<double>();
  request.refine_levels = options["refine"].cast<int>();
  request.certify = optional_of<double>(options, "certify");
  request.target_loss = optional_of<double>(options, "target_loss");
  request.target_accuracy = optional_of<double>(options, "target_accuracy");
  request.mlp.hidden = options["hidden"].cast<std::vector<Index>>();
  request.mlp.updates = options["updates"].cast<Index>();
  request.mlp.adam.rate = options["lr"].cast<double>();
  request.mlp.batch = options["batch"].cast<Index>();
}

py::dict loss_data_curve(const GivenModels& models,
                         const std::map<std::string, py::object>& learners, const py::array& labels,
                         const GivenModels& validation, const py::object& validation_labels,
                         const py::dict& options, const py::dict& run) {
  const double started = monotonic_seconds();
  const RunOptions running = run_options(run);
  LongCall call(running.progress);
  CurveRequest request;
  request.hub.models = models_of(models);
  request.hub.targets = targets_of(labels, "labels");
  for (const auto& [name, function] : learners)
    request.learners.emplace(name, learner_of(call, function));
  if (!validation_labels.is_none()) {
    request.validation_hub.models = models_of(validation);
    request.validation_hub.targets =
        targets_of(validation_labels.cast<py::array>(), "validation labels");
  }
  read_options(options, request);
  if (!options["groups"].is_none())
    request.group_ids = targets_of(options["groups"].cast<py::array>(), "groups");
  request.mlp.watch = call.watch();
  request.seed = running.seed;
  request.memory_limit = running.memory_bytes();
  CurveResult result;
  int threads = 0;
  call.run([&] {
    ThreadPool pool(running.threads);
    pool.watch(call.watch());
    threads = pool.threads();
    result = curve_hub(pool, request, call.progress());
  });
  py::dict out;
  out["json"] = json_text(curve_hub_json(result), "loss_data_curve", running, threads, started,
                          result.inputs);
  out["text"] = curve_heading(result.curves) + "\n" + curve_table(result.curves);
  out["csv"] = curve_csv(result.curves);
  out["notes"] = curve_notes(result);
  return out;
}

}  // namespace

void bind_curve(py::module_& module) { module.def("loss_data_curve", &loss_data_curve); }

}  // namespace assay::python
