#include "arrays.h"
#include "assay/tune.h"
#include "bindings.h"

namespace assay::python {

namespace py = pybind11;

namespace {

py::dict b_tuning_targets(const GivenModels& teachers, const py::array& initial,
                          const py::array& labels, double temperature, bool leave_one_out,
                          const py::dict& run) {
  const RunOptions options = run_options(run);
  LongCall call(options.progress);
  const std::vector<Model> models = models_of(teachers);
  const Rows rows = rows_of(initial, "target");
  const Targets targets = targets_of(labels, "labels");
  TeacherTargets found;
  call.run([&] {
    ThreadPool pool(options.threads);
    pool.watch(call.watch());
    found = teacher_targets(pool, models, *rows, targets, temperature, options.memory_bytes(),
                            leave_one_out ? TeacherFit::leave_one_out : TeacherFit::in_sample);
  });
  py::dict out;
  out["columns"] = found.columns;
  out["targets"] = to_numpy(found.targets);
  out["m"] = to_numpy(found.m.transpose());
  out["intercept"] = to_numpy(found.intercept);
  out["logme"] = found.logme;
  out["weights"] = found.weights;
  return out;
}

}  // namespace

void bind_teachers(py::module_& module) { module.def("b_tuning_targets", &b_tuning_targets); }

}  // namespace assay::python
