#include "assay/track.h"

#include <optional>

#include "arrays.h"
#include "bindings.h"
#include "core/clock.h"
#include "track/track_report.h"

namespace assay::python {

namespace py = pybind11;

namespace {

// A tracker, the threads it works with, and the arrays of its prior.
class Follower {
 public:
  Follower(const py::object& labels, const std::vector<PriorPart>& prior, const py::dict& options,
           const py::dict& run)
      : running_(run_options(run)),
        started_(monotonic_seconds()),
        kept_(prior),
        pool_(running_.threads),
        tracker_(pool_, setting_of(labels, options)) {}

  std::string update(const std::string& name, double step, const py::array& features) {
    const Rows rows = rows_of(features, name);
    nlohmann::ordered_json json;
    {
      const py::gil_scoped_release others_may_run;
      const Checkpoint& now = tracker_.update(name, step, *rows);
      json = checkpoint_json(tracker_.result(), now);
    }
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }

  py::dict result() const {
    if (tracker_.result().checkpoints.empty())
      throw py::value_error("no checkpoint yet: call update(step, features) first");
    py::dict out;
    out["json"] = json_text(track_json(tracker_.result()), "Tracker", running_, pool_.threads(),
                            started_, {});
    out["text"] = track_table(tracker_.result());
    return out;
  }

 private:
  TrackSetting setting_of(const py::object& labels, const py::dict& options) const {
    TrackSetting setting;
    if (!labels.is_none()) setting.labels = targets_of(labels.cast<py::array>(), "labels");
    for (const PriorPart& part : kept_) setting.prior.push_back(part_of(part));
    setting.views = options["views"].cast<Index>();
    setting.by = options["by"].cast<std::string>();
    setting.level = options["ci"].cast<double>();
    setting.seed = running_.seed;
    setting.memory_limit = running_.memory_bytes();
    return setting;
  }

  RunOptions running_;
  double started_;
  std::vector<PriorPart> kept_;
  ThreadPool pool_;
  Tracker tracker_;
};

}  // namespace

void bind_track(py::module_& module) {
  py::class_<Follower>(module, "Follower")
      .def(py::init<const py::object&, const std::vector<PriorPart>&, const py::dict&,
                    const py::dict&>())
      .def("update", &Follower::update)
      .def("result", &Follower::result);
}

}  // namespace assay::python
