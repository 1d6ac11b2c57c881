#include "assay/metrics/logme.h"

#include <memory>

#include "arrays.h"
#include "assay/pipeline/predict_features.h"
#include "bindings.h"

namespace assay::python {

namespace py = pybind11;

namespace {

std::shared_ptr<FittedFeatures> fit(const py::array& features, const py::array& labels,
                                    const py::dict& run) {
  const RunOptions options = run_options(run);
  LongCall call(options.progress);
  const Rows rows = call.watched(rows_of(features, "features"));
  const Targets targets = targets_of(labels, "labels");
  auto fitted = std::make_shared<FittedFeatures>();
  call.run([&] {
    ThreadPool pool(options.threads);
    *fitted = fit_features(pool, *rows, targets, options.memory_bytes());
  });
  return fitted;
}

// Means and variances, one row per sample and one column per class or target.
std::pair<py::array_t<double>, py::array_t<double>> predict_from(const FittedFeatures& fitted,
                                                                 const py::array& features,
                                                                 const py::dict& run) {
  const RunOptions options = run_options(run);
  LongCall call(options.progress);
  const Rows rows = call.watched(rows_of(features, "features"));
  PredictResult result;
  call.run([&] {
    ThreadPool pool(options.threads);
    result = predict_rows(pool, fitted, *rows);
  });
  return {to_numpy(result.prediction.mean), to_numpy(result.prediction.variance)};
}

std::vector<double> precisions(const FittedFeatures& fitted, double EvidenceColumn::* which) {
  std::vector<double> out;
  for (const EvidenceColumn& column : fitted.fit.columns) out.push_back(column.*which);
  return out;
}

}  // namespace

void bind_logme(py::module_& module) {
  py::class_<FittedFeatures, std::shared_ptr<FittedFeatures>>(module, "FittedFeatures")
      .def_property_readonly("score", [](const FittedFeatures& f) { return f.score.value; })
      .def_property_readonly("flags", [](const FittedFeatures& f) { return f.score.flags; })
      .def_property_readonly("columns", [](const FittedFeatures& f) { return f.columns; })
      .def_property_readonly("weights",
                             [](const FittedFeatures& f) { return to_numpy(f.fit.weights); })
      .def_property_readonly(
          "alphas", [](const FittedFeatures& f) { return precisions(f, &EvidenceColumn::alpha); })
      .def_property_readonly(
          "betas", [](const FittedFeatures& f) { return precisions(f, &EvidenceColumn::beta); })
      .def("predict", &predict_from);
  module.def("fit", &fit);
}

}  // namespace assay::python
