#include "assay/prior.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "arrays.h"
#include "assay/error.h"
#include "bindings.h"
#include "core/clock.h"
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

constexpr std::array<std::string_view, 2> kGraphs = {"directed", "undirected"};

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
  out.center_matrix = !center.is_none() && center.cast<bool>();
  out.seed = seed;
  return out;
}

// "mean", "loo" or a number.
RidgePenalty penalty_of(const py::dict& options) {
  const py::object given = options["penalty"];
  if (py::isinstance<py::str>(given)) {
    static constexpr std::array<std::string_view, 2> rules = {"mean", "loo"};
    return {static_cast<RidgePenalty::Rule>(choice("`penalty`", rules, given.cast<std::string>())),
            0.0};
  }
  const auto value = given.cast<double>();
  if (!(value > 0.0) || !(value <= 1e100))
    fail_input(fmt::format("`penalty` {}: expected mean, loo or a positive number", value));
  return {RidgePenalty::Rule::value, value};
}

// The models' own kernel, where one is named.
std::optional<KernelOptions> model_kernel_of(const py::dict& options, const KernelOptions& prior) {
  static constexpr std::array<std::string_view, 5> kinds = {"cosine", "linear", "rbf", "projection",
                                                            "ridge"};
  const py::object name = options["model_kernel"];
  if (name.is_none()) return {};
  KernelOptions out = prior;
  out.kind = static_cast<KernelKind>(choice("`model_kernel`", kinds, name.cast<std::string>()));
  out.unit_length = prior.kind != KernelKind::linear;
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

}  // namespace

GivenPriorPart part_of(const PriorPart& part) {
  const auto& [kind, name, value] = part;
  GivenPriorPart out{name};
  if (kind == "views") {
    out.views = value.cast<Index>();
    if (out.views < 1) fail_input(fmt::format("`prior` {}: expected at least one view", name));
    return out;
  }
  const auto array = value.cast<py::array>();
  if (kind == "features" || kind == "kernel") {
    out.rows = rows_of(array, name);
    out.is_kernel = kind == "kernel";
    return out;
  }
  Targets targets = targets_of(array, name);
  if (targets.kind != TargetKind::classes)
    fail_input(fmt::format("{}: a label prior needs classes, one per row", name));
  out.grouping = std::move(targets.labels);
  return out;
}

namespace {

py::dict score_models_under(const GivenModels& models,
                            const std::vector<std::vector<PriorPart>>& priors,
                            const py::object& labels, const py::dict& options,
                            const py::dict& run) {
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
  request.each = options["each"].cast<bool>();
  request.temperatures = temperatures_of(options);
  request.kernel = kernel_options(options, running.seed);
  request.model_kernel = model_kernel_of(options, request.kernel);
  request.penalty = penalty_of(options);
  const py::object r2_tasks = options["probe_r2"];
  request.probe_r2 = !r2_tasks.is_none();
  if (request.probe_r2) request.r2_tasks = r2_tasks.cast<Index>();
  if (request.r2_tasks < 0 || request.r2_tasks > 100'000)
    fail_input(fmt::format("`probe_r2` {}: expected a number of tasks up to 100000, or None",
                           request.r2_tasks));
  request.views = options["views"].cast<Index>();
  if (request.views < 0) fail_input("`views`: expected a number of views, or 0");
  request.graph =
      static_cast<Graph>(choice("`graph`", kGraphs, options["graph"].cast<std::string>()));
  request.pairs = options["pairs"].cast<Index>();
  if (request.pairs > 0 && (request.kernel.kind == KernelKind::rbf ||
                            request.model_kernel.value_or(request.kernel).kind == KernelKind::rbf))
    fail_input("`pairs` needs a kernel with a factor: cosine, linear, projection or ridge");
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
  out["json"] = json_text(prior_score_json(result, request), "prior_score", running, threads,
                          started, result.inputs);
  out["text"] = prior_score_table(result, request.pairs);
  return out;
}

// int32 labels of shape (tasks, rows), and the JSON and the table.
std::pair<py::array_t<Label>, py::dict> draw_tasks(const std::vector<PriorPart>& parts,
                                                   Index classes, Index tasks, int sweeps,
                                                   const py::dict& options, const py::dict& run) {
  const double started = monotonic_seconds();
  const RunOptions running = run_options(run);
  LongCall call(running.progress);
  SampleTasksRequest request;
  for (const PriorPart& part : parts) request.given_prior.push_back(part_of(part));
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
  request.diversity = options["diversity"].cast<double>();
  if (!(request.diversity >= 0.01 && request.diversity <= 0.95))
    fail_input(fmt::format("`diversity` {}: expected 0.01 to 0.95", request.diversity));
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
  py::dict out;
  out["json"] = json_text(sampled_tasks_json(sampled, request), "prior_sample", running, threads,
                          started, sampled.inputs);
  out["text"] = sampled_tasks_table(sampled, request);
  return {labels, out};
}

py::dict probe_models(const GivenModels& models, const py::array_t<Label>& tasks,
                      const std::vector<PriorPart>& prior, const py::dict& options,
                      const py::dict& run) {
  static constexpr std::array<std::string_view, 2> probes = {"ridge", "logistic"};
  const double started = monotonic_seconds();
  const RunOptions running = run_options(run);
  LongCall call(running.progress);
  ProbeTasksRequest request;
  request.hub.models = models_of(models);
  request.given_tasks.assign(tasks.data(), tasks.data() + tasks.size());
  if (!prior.empty()) {
    request.given_priors.emplace_back();
    for (const PriorPart& part : prior) request.given_priors.front().push_back(part_of(part));
  }
  request.temperatures = temperatures_of(options);
  if (request.temperatures.size() > 1) fail_input("`temperature`: one number here, or auto");
  request.kernel = kernel_options(options, running.seed);
  request.model_kernel = model_kernel_of(options, request.kernel);
  request.penalty = penalty_of(options);
  request.graph =
      static_cast<Graph>(choice("`graph`", kGraphs, options["graph"].cast<std::string>()));
  request.options.probe =
      static_cast<TaskProbe>(choice("`probe`", probes, options["probe"].cast<std::string>()));
  request.options.test_share = options["test_share"].cast<double>();
  if (!(request.options.test_share >= 0.01 && request.options.test_share <= 0.99))
    fail_input(fmt::format("`test_share` {}: expected 0.01 to 0.99", request.options.test_share));
  request.options.seed = running.seed;
  request.memory_limit = running.memory_bytes();
  ProbeTasksResult result;
  int threads = 0;
  call.run([&] {
    ThreadPool pool(running.threads);
    pool.watch(call.watch());
    threads = pool.threads();
    result = probe_hub_tasks(pool, request, call.progress());
  });
  py::dict out;
  out["json"] =
      json_text(probed_tasks_json(result), "prior_probe", running, threads, started, result.inputs);
  out["text"] = probed_tasks_table(result);
  return out;
}

}  // namespace

void bind_prior(py::module_& module) {
  module.def("prior_score", &score_models_under);
  module.def("prior_sample", &draw_tasks);
  module.def("prior_probe", &probe_models);
}

}  // namespace assay::python
