#include <utility>

#include "arrays.h"
#include "assay/error.h"
#include "bindings.h"
#include "core/clock.h"
#include "parts/moments_file.h"
#include "rank/rank_moments.h"
#include "rank/rank_report.h"

namespace assay::python {

namespace py = pybind11;

namespace {

// Moments of a stream of batches.
void add_batch(ModelMoments& moments, const py::array& features, const py::array& labels,
               std::uint64_t seed, int threads) {
  const Rows rows = rows_of(features, "features");
  const Targets targets = targets_of(labels, "labels");
  LongCall call{py::none()};
  call.run([&] {
    ThreadPool pool(threads);
    pool.watch(call.watch());
    moments += moments_of_batch(pool, *rows, targets, moments.rows(), seed);
  });
}

// As the file that `assay rank --moments` reads: all rows, of labels that nobody else has.
py::bytes file_bytes(const ModelMoments& moments, const std::string& name) {
  if (moments.folds.empty())
    fail_input("nothing was summed yet: call update(features, labels) first");
  MomentsFile file;
  file.model = name;
  file.total_rows = moments.rows();
  file.moments = moments;
  return py::bytes(moments_bytes(std::move(file)));
}

py::dict ranked_moments(const std::vector<std::pair<std::string, const ModelMoments*>>& models,
                        const std::string& metrics, const std::string& by, double ci,
                        const py::object& center, const py::dict& run) {
  const double started = monotonic_seconds();
  const RunOptions options = run_options(run);
  LongCall call(options.progress);
  RankRequest request;
  choose_metrics(request, metrics, by);
  if (!(ci >= 0.0 && ci <= 0.9999)) fail_input("`ci` must be a number between 0 and 0.9999");
  request.level = ci;
  if (!center.is_none()) request.center = center.cast<bool>();
  request.seed = options.seed;
  request.memory_limit = options.memory_bytes();
  std::vector<NamedMoments> named;
  for (const auto& [name, moments] : models) named.push_back({name, *moments, {}});
  RankResult result;
  int threads = 0;
  call.run([&] {
    ThreadPool pool(options.threads);
    pool.watch(call.watch());
    threads = pool.threads();
    result = rank_moments(pool, request, named);
  });
  py::dict out;
  out["json"] =
      json_text(rank_json(result), "rank", options, threads, started, ranked_inputs(result));
  out["text"] = rank_heading(result) + "\n" + rank_table(result);
  out["csv"] = rank_csv(result);
  return out;
}

}  // namespace

void bind_moments(py::module_& module) {
  py::class_<ModelMoments>(module, "ModelMoments")
      .def(py::init<>())
      .def("update", &add_batch)
      .def("add", [](ModelMoments& moments, const ModelMoments& other) { moments += other; })
      .def("copy", [](const ModelMoments& moments) { return moments; })
      .def("to_bytes", &file_bytes)
      .def_static("of_bytes",
                  [](const std::string& bytes, const std::string& where) {
                    MomentsFile file = moments_of_bytes(bytes, where);
                    return std::pair{file.model, std::move(file.moments)};
                  })
      .def_property_readonly("rows", &ModelMoments::rows)
      .def_property_readonly("dim", &ModelMoments::dim)
      .def_readonly("columns", &ModelMoments::columns);
  module.def("rank_moments", &ranked_moments);
}

}  // namespace assay::python
