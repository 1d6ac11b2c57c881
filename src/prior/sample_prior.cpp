#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/prior.h"
#include "core/memory.h"
#include "learn/pca.h"
#include "prior/choose_temperature.h"
#include "prior/diversity.h"
#include "prior/entry_factor.h"
#include "prior/open_prior.h"
#include "prior/sample_tasks.h"

namespace assay {
namespace {

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

// Samples that the parts agree on.
Index rows_of(const OpenPrior& prior) {
  for (const GivenPriorPart& part : prior.parts) {
    if (part.rows) return part.rows->rows();
    if (!part.grouping.empty()) return static_cast<Index>(part.grouping.size());
  }
  fail_input(fmt::format(
      "`prior` {}: views alone do not say how many rows there are; add labels or features",
      prior.name));
}

// The factor, its copy in the order of the visits, what each thread sums per class, the labels.
void require_sampling_memory(const ThreadPool& pool, const OpenPrior& prior, Index rows,
                             const SampleTasksRequest& request) {
  const Index threads = pool.threads();
  Index bytes = Index{sizeof(Label)} * rows * request.options.tasks;
  for (const GivenPriorPart& part : prior.parts) {
    if (!part.rows) continue;
    bytes += 3 * Index{sizeof(double)} * rows * part.rows->cols();
    bytes += threads * Index{sizeof(double)} * request.options.classes * part.rows->cols();
  }
  require_memory(prior.name, "drawing tasks", bytes, request.memory_limit);
}

// The coordinates that a picture is drawn from: all vectors of the prior, one below the other.
Matrix vectors_of(const TaskPrior<double>& prior, Index rows) {
  Index dim = 0;
  for (const Kernel<double>& kernel : prior.kernels) dim += kernel.factor().rows();
  Matrix out(dim, rows);
  Index row = 0;
  for (const Kernel<double>& kernel : prior.kernels) {
    out.middleRows(row, kernel.factor().rows()) = kernel.factor();
    row += kernel.factor().rows();
  }
  return out;
}

}  // namespace

SampledTasks sample_prior(ThreadPool& pool, const SampleTasksRequest& request,
                          const ProgressCallback& progress) {
  const OpenPrior open =
      request.given_prior.empty() ? open_prior(request.prior) : prior_of(request.given_prior);
  SampledTasks out;
  out.count = rows_of(open);
  require_rows_of(open, out.count, open.parts.front().name);
  if (out.count < 2) fail_input(fmt::format("{}: one row; a task needs two or more", open.name));
  require_sampling_memory(pool, open, out.count, request);
  const TaskPrior<double> prior =
      with_factors(load_prior<double>(pool, open, out.count, request.kernel), open.name);
  SampleOptions options = request.options;
  if (options.temperature <= 0.0) {
    const std::optional<double> chosen =
        choose_temperature(pool, prior, options, request.diversity);
    if (!chosen)
      fail_input(
          fmt::format("{}: `temperature` auto: every entry of the kernel off the diagonal is "
                      "zero; give a number",
                      open.name));
    options.temperature = *chosen;
    out.chosen = true;
  }
  out.temperature = options.temperature;
  SampledLabels sampled = sample_tasks(pool, prior, options, progress);
  out.labels = std::move(sampled.labels);
  const auto n = static_cast<double>(out.count);
  out.alignment = sampled.trace / (n * n);
  out.diversity = diversity_of(out.labels, out.count, options.classes);
  out.largest.resize(options.tasks);
  for (Index b = 0; b < options.tasks; ++b)
    out.largest[b] = largest_share(out.labels.data() + b * out.count, out.count, options.classes);
  if (request.pictured > 0) {
    out.picture = picture_of(pool, vectors_of(prior, out.count));
    options.tasks = std::min(request.pictured, options.tasks);
    for (const double factor : {0.25, 4.0}) {
      options.temperature = factor * out.temperature;
      out.elsewhere.push_back({options.temperature, sample_tasks(pool, prior, options).labels});
    }
  }
  for (const GivenPriorPart& part : open.parts)
    if (part.rows)
      for (FileDigest& digest : part.rows->digests()) out.inputs.push_back(digest);
  for (const std::filesystem::path& file : label_files({request.prior}))
    out.inputs.push_back({file, file_digest(file)});
  return out;
}

}  // namespace assay
