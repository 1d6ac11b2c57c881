#include "metrics/logme.h"

#include <pybind11/eigen.h>

#include <memory>

#include "arrays.h"
#include "assay/predict.h"
#include "bindings.h"
#include "predict/class_probabilities.h"

namespace assay::python {

namespace py = pybind11;

namespace {

std::shared_ptr<FittedFeatures> fit(const py::array& features, const py::array& labels,
                                    const py::dict& run) {
  const RunOptions options = run_options(run);
  LongCall call(options.progress);
  const Rows rows = rows_of(features, "features");
  const Targets targets = targets_of(labels, "labels");
  auto fitted = std::make_shared<FittedFeatures>();
  call.run([&] {
    ThreadPool pool(options.threads);
    pool.watch(call.watch());
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
  const Rows rows = rows_of(features, "features");
  PredictResult result;
  call.run([&] {
    ThreadPool pool(options.threads);
    pool.watch(call.watch());
    result = predict_rows(pool, fitted, *rows);
  });
  return {to_numpy(result.prediction.mean), to_numpy(result.prediction.variance)};
}

// One row per sample, one column per class.
py::array_t<double> probabilities_from(const FittedFeatures& fitted, const py::array& features,
                                       const py::dict& run) {
  const RunOptions options = run_options(run);
  LongCall call(options.progress);
  const Rows rows = rows_of(features, "features");
  Matrix found;
  call.run([&] {
    ThreadPool pool(options.threads);
    pool.watch(call.watch());
    found = class_probabilities(pool, predict_rows(pool, fitted, *rows).prediction);
  });
  return to_numpy(found);
}

std::vector<double> precisions(const FittedFeatures& fitted, double EvidenceColumn::*which) {
  std::vector<double> out;
  for (const EvidenceColumn& column : fitted.fit->columns) out.push_back(column.*which);
  return out;
}

// All of a fit as Python keeps it: numbers and arrays.
py::tuple state_of(const FittedFeatures& fitted) {
  const Reduced& reduced = fitted.fit->reduced;
  const Tridiagonal& t = reduced.tridiagonal;
  py::list columns;
  for (const EvidenceColumn& c : fitted.fit->columns) {
    columns.append(py::make_tuple(static_cast<int>(c.kind), c.value, c.gain, c.t, c.alpha, c.beta,
                                  c.theorem2, c.unit_t, c.unit_alpha));
  }
  return py::make_tuple(
      static_cast<int>(fitted.kind), fitted.columns, fitted.dim, fitted.score.value,
      fitted.score.flags, columns, fitted.fit->weights, fitted.fit->feature_basis,
      py::make_tuple(reduced.count, reduced.dual, reduced.unit, reduced.rank, reduced.projected,
                     reduced.target_square),
      py::make_tuple(t.diagonal, t.off_diagonal, t.eigenvalues, t.reflectors, t.scalars, t.before),
      py::make_tuple(fitted.fit->intercept, fitted.fit->feature_mean, fitted.fit->share));
}

std::shared_ptr<FittedFeatures> from_state(const py::tuple& state) {
  auto fitted = std::make_shared<FittedFeatures>();
  fitted->kind = static_cast<TargetKind>(state[0].cast<int>());
  fitted->columns = state[1].cast<std::vector<std::string>>();
  fitted->dim = state[2].cast<Index>();
  fitted->score.value = state[3].cast<double>();
  fitted->score.flags = state[4].cast<std::vector<std::string>>();
  auto fit = std::make_shared<LogmeFit>();
  fit->weights = state[6].cast<Matrix>();
  fit->feature_basis = state[7].cast<Matrix>();
  Reduced& reduced = fit->reduced;
  const auto r = state[8].cast<py::tuple>();
  reduced.count = r[0].cast<Index>();
  reduced.dual = r[1].cast<bool>();
  reduced.unit = r[2].cast<double>();
  reduced.rank = r[3].cast<Index>();
  reduced.projected = r[4].cast<Matrix>();
  reduced.target_square = r[5].cast<Vector>();
  // Fits kept by earlier versions do not have the precisions of features divided by the unit.
  const double square = reduced.unit * reduced.unit;
  for (const py::handle one : state[5]) {
    const auto c = one.cast<py::tuple>();
    EvidenceColumn column{.kind = static_cast<EvidenceCase>(c[0].cast<int>()),
                          .value = c[1].cast<double>(),
                          .gain = c[2].cast<double>(),
                          .t = c[3].cast<double>(),
                          .alpha = c[4].cast<double>(),
                          .beta = c[5].cast<double>(),
                          .theorem2 = c[6].cast<bool>()};
    column.unit_t = c.size() > 7 ? c[7].cast<double>() : column.t / square;
    column.unit_alpha = c.size() > 8 ? c[8].cast<double>() : column.alpha / square;
    fit->columns.push_back(column);
  }
  const auto t = state[9].cast<py::tuple>();
  reduced.tridiagonal = {t[0].cast<Vector>(), t[1].cast<Vector>(), t[2].cast<Vector>(),
                         t[3].cast<Matrix>(), t[4].cast<Vector>()};
  if (t.size() > 5) reduced.tridiagonal.before = t[5].cast<Vector>();
  // Fits kept by earlier versions have no intercept.
  fit->intercept = Vector::Zero(fit->weights.cols());
  if (state.size() > 10) {
    const auto about = state[10].cast<py::tuple>();
    fit->intercept = about[0].cast<Vector>();
    fit->feature_mean = about[1].cast<Vector>();
    fit->share = about[2].cast<double>();
  }
  fitted->fit = std::move(fit);
  return fitted;
}

}  // namespace

void bind_logme(py::module_& module) {
  py::class_<FittedFeatures, std::shared_ptr<FittedFeatures>>(module, "FittedFeatures")
      .def_property_readonly("score", [](const FittedFeatures& f) { return f.score.value; })
      .def_property_readonly("flags", [](const FittedFeatures& f) { return f.score.flags; })
      .def_property_readonly("columns", [](const FittedFeatures& f) { return f.columns; })
      .def_property_readonly("weights",
                             [](const FittedFeatures& f) { return to_numpy(f.fit->weights); })
      .def_property_readonly(
          "alphas", [](const FittedFeatures& f) { return precisions(f, &EvidenceColumn::alpha); })
      .def_property_readonly(
          "betas", [](const FittedFeatures& f) { return precisions(f, &EvidenceColumn::beta); })
      .def("predict", &predict_from)
      .def("probabilities", &probabilities_from)
      .def(py::pickle(&state_of, &from_state));
  module.def("fit", &fit);
}

}  // namespace assay::python
