#include "assay/prior.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "arrays.h"
#include "assay/error.h"
#include "bindings.h"
#include "prior/kernel.h"
#include "prior/prior_report.h"

namespace assay::python {

namespace py = pybind11;

namespace {

// The position of a word of a list of choices; throws Error with the list.
template <std::size_t N>
std::size_t choice(const char* option, const std::array<std::string_view, N>& choices,
                   const std::string& word) {
  const auto* const found = std::ranges::find(choices, word);
  if (found == choices.end())
    fail_input(fmt::format("{} '{}': expected {}", option, word, fmt::join(choices, ", ")));
  return static_cast<std::size_t>(found - choices.begin());
}

KernelOptions kernel_options(const py::dict& options, std::uint64_t seed) {
  static constexpr std::array<std::string_view, 4> kinds = {"cosine", "linear", "rbf",
                                                            "projection"};
  static constexpr std::array<std::string_view, 3> norms = {"none", "frobenius", "trace"};
  KernelOptions out;
  out.kind =
      static_cast<KernelKind>(choice("`kernel`", kinds, options["kernel"].cast<std::string>()));
  out.normalize = static_cast<Normalisation>(
      choice("`normalize`", norms, options["normalize"].cast<std::string>()));
  const py::object center = options["center"];
  out.center = centers(
      out.kind, center.is_none() ? std::optional<bool>() : std::optional(center.cast<bool>()));
  out.seed = seed;
  return out;
}

std::vector<double> temperatures_of(const py::dict& options) {
  const auto values = options["temperature"].cast<std::vector<double>>();
  for (const double value : values) {
    if (!(value > 0.0) || !(value <= 1e100))
      fail_input(fmt::format("`temperature` '{}': expected positive numbers", value));
  }
  return values;
}

// ("features", name, array), ("labels", name, array) or ("views", name, V).
using PriorPart = std::tuple<std::string, std::string, py::object>;

GivenPriorPart part_of(const PriorPart& part) {
  const auto& [kind, name, value] = part;
  GivenPriorPart out{name};
  if (kind == "views") {
    out.views = value.cast<Index>();
    if (out.views < 1) fail_input(fmt::format("`prior` {}: expected at least one view", name));
    return out;
  }
  const auto array = value.cast<py::array>();
  if (kind == "features") {
    out.rows = rows_of(array, name);
    return out;
  }
  Targets targets = targets_of(array, name);
  if (targets.kind != TargetKind::classes)
    fail_input(fmt::format("{}: a label prior needs classes, one per row", name));
  out.grouping = std::move(targets.labels);
  return out;
}

py::dict task_prior(const GivenModels& models, const std::vector<std::vector<PriorPart>>& priors,
                    const py::object& labels, const py::dict& options, const py::dict& run) {
  static constexpr std::array<std::string_view, 2> graphs = {"directed", "undirected"};
  const double started = monotonic_seconds();
  const RunOptions running = run_options(run);
  LongCall call(running.progress);
  PriorScoreRequest request;
  request.hub.models = models_of(models);
  if (!labels.is_none()) request.hub.targets = targets_of(labels.cast<py::array>(), "labels");
  for (const std::vector<PriorPart>& parts : priors) {
    std::vector<GivenPriorPart> prior;
    for (const PriorPart& part : parts) prior.push_back(part_of(part));
    request.given_priors.push_back(std::move(prior));
  }
  request.temperatures = temperatures_of(options);
  request.kernel = kernel_options(options, running.seed);
  request.graph =
      static_cast<Graph>(choice("`graph`", graphs, options["graph"].cast<std::string>()));
  request.pairs = options["pairs"].cast<Index>();
  if (request.pairs > 0 && request.kernel.kind == KernelKind::rbf)
    fail_input("`pairs` needs a kernel with a factor: cosine, linear or projection");
  if (request.pairs != 0 && request.pairs < 100) fail_input("`pairs`: expected 100 or more");
  request.seed = running.seed;
  request.memory_limit = running.memory_bytes();
  PriorScoreResult result;
  int threads = 0;
  call.run([&] {
    ThreadPool pool(running.threads);
    pool.watch(call.watch());
    threads = pool.threads();
    result = score_prior(pool, request, call.progress());
  });
  py::dict out;
  out["json"] = json_text(prior_score_json(result, request), "task_prior", running, threads,
                          started, result.inputs);
  out["text"] = prior_score_table(result, request.pairs);
  return out;
}

// int32 labels of shape (tasks, rows), and the JSON.
std::pair<py::array_t<Label>, std::string> draw_tasks(const py::array& features, Index classes,
                                                      Index tasks, int sweeps, bool from_kernel,
                                                      const py::dict& options,
                                                      const py::dict& run) {
  const double started = monotonic_seconds();
  const RunOptions running = run_options(run);
  LongCall call(running.progress);
  SampleTasksRequest request;
  GivenPriorPart part{"features"};
  part.rows = rows_of(features, "features");
  part.is_kernel = from_kernel;
  request.given_prior = {std::move(part)};
  request.kernel = kernel_options(options, running.seed);
  if (classes < 2 || classes > 10'000)
    fail_input(fmt::format("`classes` {}: expected 2 to 10000", classes));
  if (tasks < 1 || tasks > 1'000'000)
    fail_input(fmt::format("`tasks` {}: expected 1 to 1000000", tasks));
  if (sweeps < 0 || sweeps > 100'000)
    fail_input(
        fmt::format("`sampler` 'gibbs:{}': expected prefix, or gibbs:K with K sweeps", sweeps));
  const std::vector<double> temperatures = temperatures_of(options);
  if (temperatures.size() > 1) fail_input("`temperature`: one number here, or auto");
  request.options.classes = classes;
  request.options.tasks = tasks;
  request.options.temperature = temperatures.empty() ? 0.0 : temperatures.front();
  request.options.gibbs_sweeps = sweeps;
  request.options.seed = running.seed;
  request.pictured = 0;
  request.memory_limit = running.memory_bytes();
  SampledTasks sampled;
  int threads = 0;
  call.run([&] {
    ThreadPool pool(running.threads);
    pool.watch(call.watch());
    threads = pool.threads();
    sampled = sample_prior(pool, request, call.progress());
  });
  const py::array_t<Label> labels({tasks, sampled.count}, sampled.labels.data());
  return {labels, json_text(sampled_tasks_json(sampled, request), "sample_tasks", running, threads,
                            started, sampled.inputs)};
}

}  // namespace

void bind_prior(py::module_& module) {
  module.def("task_prior", &task_prior);
  module.def("sample_tasks", &draw_tasks);
}

}  // namespace assay::python
