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
#include "learn/pca.h"
#include "prior/kernel.h"
#include "prior/probe_tasks.h"
#include "prior/sample_tasks.h"
#include "prior/task_prior.h"

namespace assay {
namespace {

// The factor of a kernel file, or of the features' kernel.
Matrix factor_of(ThreadPool& pool, const RowSource& rows, const SampleTasksRequest& request) {
  if (request.from_kernel) {
    if (rows.rows() != rows.cols()) {
      fail_input(fmt::format("{}: {} x {}; a kernel matrix is square", rows.where(), rows.rows(),
                             rows.cols()));
    }
    const Matrix k = read_samples(pool, rows);
    const double largest = k.cwiseAbs().maxCoeff();
    if ((k - k.transpose()).cwiseAbs().maxCoeff() > 1e-6 * largest)
      fail_input(fmt::format("{}: not a kernel: it is not symmetric", rows.where()));
    return pivoted_cholesky(
        k.diagonal(), [&](Index i) -> Vector { return k.col(i); }, rows.where());
  }
  Kernel<double> kernel = make_kernel<double>(pool, rows, request.kernel);
  if (kernel.has_factor()) {
    const double root = std::sqrt(kernel.scale());
    Matrix z = std::move(kernel).factor();
    if (root != 1.0) z *= root;
    return z;
  }
  Vector diagonal(kernel.count());
  for (Index i = 0; i < kernel.count(); ++i) diagonal[i] = kernel.entry(i, i);
  return pivoted_cholesky(
      diagonal, [&](Index i) -> Vector { return kernel.tile(0, kernel.count(), i, 1).col(0); },
      rows.where());
}

Rows open_prior_features(const std::filesystem::path& features) {
  const Catalogue found = find_models({features}, {});
  if (found.models.size() != 1)
    fail_input(fmt::format("{}: holds {} models; tasks are drawn from one", features.string(),
                           found.models.size()));
  return open_rows(found.models.front());
}

// At most two thousand samples: a picture, not the data.
TaskPicture picture_of(ThreadPool& pool, const Matrix& z) {
  constexpr Index most = 2000;
  TaskPicture out;
  const Index step = std::max<Index>(1, (z.cols() + most - 1) / most);
  for (Index row = 0; row < z.cols(); row += step) out.rows.push_back(row);
  const Matrix drawn = z(Eigen::all, out.rows);
  const Pca pca = fit_pca(pool, drawn, 1.0);
  const Matrix at = pca.project(drawn);
  out.x = Vector::Zero(drawn.cols());
  out.y = out.x;
  if (at.rows() > 0) out.x = at.row(0);
  if (at.rows() > 1) out.y = at.row(1);
  return out;
}

double largest_share(const Label* labels, Index count, Index classes) {
  std::vector<Index> seen(static_cast<std::size_t>(classes), 0);
  for (Index i = 0; i < count; ++i) ++seen[static_cast<std::size_t>(labels[i])];
  return static_cast<double>(*std::max_element(seen.begin(), seen.end())) /
         static_cast<double>(count);
}

// Over neighbours in the list, at most a hundred: each task has a stream of its own.
std::optional<double> likeness(const SampledTasks& tasks, Index classes) {
  const Index pairs = std::min<Index>(100, tasks.largest.size() - 1);
  if (pairs < 1) return {};
  double sum = 0.0;
  for (Index b = 0; b < pairs; ++b) {
    const Label* first = tasks.labels.data() + b * tasks.count;
    sum += adjusted_rand(first, first + tasks.count, tasks.count, classes);
  }
  return sum / static_cast<double>(pairs);
}

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

SampledTasks sample_prior(ThreadPool& pool, const SampleTasksRequest& request,
                          const ProgressCallback& progress) {
  const Rows rows = request.rows ? request.rows : open_prior_features(request.features);
  if (rows->rows() < 2)
    fail_input(fmt::format("{}: one row; a task needs two or more", rows->where()));
  require_samples_memory(*rows, request.memory_limit);
  const Matrix z = factor_of(pool, *rows, request);
  SampledTasks out;
  out.count = z.cols();
  SampleOptions options = request.options;
  if (options.temperature <= 0.0) {
    TaskPrior<double> prior;
    prior.kernels.push_back(kernel_of_factor<double>(z));
    options.temperature = median_temperature(prior, options.seed);
    if (!(options.temperature > 0.0))
      fail_input(
          fmt::format("{}: `temperature` auto: every entry of the kernel off the diagonal is "
                      "zero; give a number",
                      rows->where()));
  }
  out.temperature = options.temperature;
  SampledLabels sampled = sample_tasks(pool, z, options, progress);
  out.labels = std::move(sampled.labels);
  const auto n = static_cast<double>(out.count);
  out.alignment = sampled.trace / (n * n);
  out.largest.resize(options.tasks);
  for (Index b = 0; b < options.tasks; ++b)
    out.largest[b] = largest_share(out.labels.data() + b * out.count, out.count, options.classes);
  out.alike = likeness(out, options.classes);
  if (request.pictured > 0) out.picture = picture_of(pool, z);
  for (FileDigest& digest : rows->digests()) out.inputs.push_back(digest);
  return out;
}

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

ProbeTasksResult probe_prior(ThreadPool& pool, const ProbeTasksRequest& request,
                             const ProgressCallback& progress) {
  const LoadedTasks tasks = load_tasks(request.tasks);
  ProbeTasksResult result;
  result.tasks = tasks.tasks;
  result.count = tasks.count;
  result.classes = tasks.classes;
  result.chance = chance_accuracy(tasks.labels, tasks.count, tasks.classes);
  const Catalogue found = find_models(request.inputs, request.tasks);
  for (const ModelFiles& files : found.models) {
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
      require_samples_memory(*rows, request.memory_limit);
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
