#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "assay/correlation.h"
#include "assay/error.h"
#include "assay/hub.h"
#include "assay/prior.h"
#include "data/read_samples.h"
#include "hub/open_rows.h"
#include "learn/pca.h"
#include "prior/kernel.h"
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
  const ModelList found = find_models({features}, {});
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

}  // namespace

SampledTasks sample_prior(ThreadPool& pool, const SampleTasksRequest& request,
                          const ProgressCallback& progress) {
  const Rows rows = request.rows ? request.rows : open_prior_features(request.features);
  if (rows->rows() < 2)
    fail_input(fmt::format("{}: one row; a task needs two or more", rows->where()));
  require_samples_memory(*rows, request.options.classes, request.memory_limit);
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

}  // namespace assay
