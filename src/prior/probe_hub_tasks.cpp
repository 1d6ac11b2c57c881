#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/correlation.h"
#include "assay/digest.h"
#include "assay/error.h"
#include "assay/features.h"
#include "assay/hub.h"
#include "assay/prior.h"
#include "data/read_samples.h"
#include "hub/open_rows.h"
#include "io/npy.h"
#include "prior/probe_tasks.h"

namespace assay {
namespace {

struct LoadedTasks {
  std::vector<Label> labels;
  Index tasks = 0, count = 0, classes = 0;
};

LoadedTasks load_tasks(const std::filesystem::path& path) {
  const Array array = open_npy(path);
  if (array.rank() != 2 || !is_integer(array.type) || array.shape[0] < 1 || array.shape[1] < 2) {
    fail_input(
        fmt::format("{}: expected integers of shape (tasks, rows), as sampling tasks "
                    "writes them",
                    path.string()));
  }
  LoadedTasks out;
  out.tasks = array.shape[0];
  out.count = array.shape[1];
  constexpr std::int64_t most = 100'000;  // classes: labels are positions, not names
  Label largest = 0;
  for (Index task = 0; task < out.tasks; ++task) {
    for (Index row = 0; row < out.count; ++row) {
      const Index at = array.fortran_order ? row * out.tasks + task : task * out.count + row;
      const std::int64_t value = integer_at(array, at);
      if (value < 0 || value >= most) {
        fail_input(fmt::format("{}: task {}, row {} is {}; labels are 0, 1, 2, ...", path.string(),
                               task, row, value));
      }
      out.labels.push_back(static_cast<Label>(value));
      largest = std::max(largest, out.labels.back());
    }
  }
  out.classes = largest + 1;
  return out;
}

ModelCorrelation correlate(const std::vector<double>& a, const std::vector<double>& b) {
  ModelCorrelation out{pearson(a, b), {}, {}, spearman(a, b)};
  if (!out.pearson || a.size() < 4) return out;
  constexpr double deviations = 1.959963984540054;
  const double r = std::clamp(*out.pearson, -1.0 + 1e-15, 1.0 - 1e-15);
  const double half = deviations / std::sqrt(static_cast<double>(a.size()) - 3.0);
  out.low = std::tanh(std::atanh(r) - half);
  out.high = std::tanh(std::atanh(r) + half);
  return out;
}

// The closed form beside each probed model, where a prior was named.
void add_closed_forms(ThreadPool& pool, const ProbeTasksRequest& request,
                      const ProgressCallback& progress, ProbeTasksResult& result) {
  if (request.priors.empty()) return;
  PriorScoreRequest prior;
  prior.inputs = request.inputs;
  prior.priors = request.priors;
  prior.temperatures = request.temperatures;
  prior.kernel = request.kernel;
  prior.graph = request.graph;
  prior.seed = request.options.seed;
  prior.memory_limit = request.memory_limit;
  const PriorScoreResult scores = score_prior(pool, prior, progress);
  std::vector<double> accuracy, spread, expectation, variance;
  for (ProbedModel& model : result.models) {
    const auto found = std::find_if(scores.scores.begin(), scores.scores.end(),
                                    [&](const PriorScore& s) { return s.name == model.name; });
    if (found == scores.scores.end()) continue;
    model.closed_form = *found;
    accuracy.push_back(model.mean());
    spread.push_back(model.variance());
    expectation.push_back(found->moments.expectation);
    variance.push_back(found->moments.variance);
  }
  result.mean = correlate(accuracy, expectation);
  result.variance = correlate(spread, variance);
}

}  // namespace

double ProbedModel::variance() const {
  if (accuracy.size() < 2) return 0.0;
  return (accuracy.array() - mean()).square().sum() / static_cast<double>(accuracy.size() - 1);
}

double ProbedModel::worst() const {
  Vector sorted = accuracy;
  std::sort(sorted.begin(), sorted.end());
  const Index count = std::max<Index>(1, sorted.size() / 20);
  return sorted.head(count).mean();
}

ProbeTasksResult probe_hub_tasks(ThreadPool& pool, const ProbeTasksRequest& request,
                                 const ProgressCallback& progress) {
  const LoadedTasks tasks = load_tasks(request.tasks);
  ProbeTasksResult result;
  result.tasks = tasks.tasks;
  result.count = tasks.count;
  result.classes = tasks.classes;
  result.chance = chance_accuracy(tasks.labels, tasks.count, tasks.classes);
  const ModelList found = find_models(request.inputs, request.tasks);
  for (const Model& files : found.models) {
    if (progress) {
      const std::size_t done = result.models.size() + result.failed.size();
      progress(static_cast<double>(done) / static_cast<double>(found.models.size()), files.name);
    }
    try {
      const Rows rows = open_rows(files);
      if (rows->rows() != tasks.count) {
        fail_input(fmt::format("{}: {} rows, but the tasks of {} label {}", rows->where(),
                               rows->rows(), request.tasks.string(), tasks.count));
      }
      require_samples_memory(*rows, tasks.classes, request.memory_limit);
      const TaskAccuracies probed = probe_tasks(pool, read_samples(pool, *rows), tasks.labels,
                                                tasks.classes, request.options);
      result.models.push_back({files.name, rows->cols(), probed.penalty, probed.accuracy, {}});
      for (FileDigest& digest : rows->digests()) result.inputs.push_back(digest);
    } catch (const Error& error) {
      result.failed.push_back({files.name, error.what()});
    }
  }
  if (result.models.empty())
    fail_input(fmt::format("nothing could be probed: {}", result.failed.front().error));
  result.inputs.push_back({request.tasks, file_digest(request.tasks)});
  add_closed_forms(pool, request, progress, result);
  return result;
}

}  // namespace assay
