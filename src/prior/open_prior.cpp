#include "prior/open_prior.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "assay/features.h"
#include "assay/hub.h"
#include "assay/targets.h"
#include "hub/open_rows.h"
#include "prior/principal_axes.h"

namespace assay {
namespace {

constexpr std::string_view kLabels = "labels:";
constexpr std::string_view kViews = "views:";
constexpr std::string_view kKernel = "kernel:";

GivenPriorPart open_views(const std::string& part) {
  GivenPriorPart out{part};
  const std::string_view number = std::string_view(part).substr(kViews.size());
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), out.views);
  if (code != std::errc() || end != number.data() + number.size() || out.views < 1) {
    fail_input(
        fmt::format("`prior` {}: expected views:V with a number of views, like views:2", part));
  }
  return out;
}

GivenPriorPart open_labels(const std::string& part) {
  const std::filesystem::path file = part.substr(kLabels.size());
  GivenPriorPart out{std::string(kLabels) + file.stem().string()};
  out.grouping = grouping_of(load_targets(file));
  return out;
}

GivenPriorPart open_rows_of(const std::string& file) {
  const ModelList found = find_models({file}, {});
  if (found.models.size() != 1) {
    fail_input(fmt::format("`prior` {}: holds {} models; name the one that is the prior", file,
                           found.models.size()));
  }
  GivenPriorPart out{found.models.front().name};
  out.rows = open_rows(found.models.front());
  return out;
}

GivenPriorPart open_part(const std::string& part) {
  if (part.starts_with(kViews)) return open_views(part);
  if (part.starts_with(kLabels)) return open_labels(part);
  const std::string kernel = kernel_file(part);
  GivenPriorPart out = open_rows_of(kernel.empty() ? part : kernel);
  out.is_kernel = !kernel.empty();
  return out;
}

std::vector<Label> view_groups(Index rows, Index views) {
  if (rows % views != 0) {
    fail_input(fmt::format("`prior` views:{}: {} rows are no whole number of {} views each", views,
                           rows, views));
  }
  std::vector<Label> out(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) out[static_cast<std::size_t>(i)] = static_cast<Label>(i / views);
  return out;
}

template <typename T>
Kernel<T> kernel_of_part(ThreadPool& pool, const GivenPriorPart& part,
                         const KernelOptions& kernel) {
  if (!part.is_kernel) return make_kernel<T>(pool, *part.rows, kernel);
  const PrincipalAxes axes = kernel_axes(pool, *part.rows, kernel.center_matrix);
  return kernel_of_factor<T>(pool, axes.z, kernel.normalize, part.rows->where());
}

}  // namespace

bool OpenPrior::holds(const std::string& model) const {
  return std::ranges::any_of(
      parts, [&](const GivenPriorPart& part) { return part.rows && part.name == model; });
}

OpenPrior prior_of(std::vector<GivenPriorPart> parts) {
  OpenPrior out;
  for (const GivenPriorPart& part : parts) out.name += (out.name.empty() ? "" : " * ") + part.name;
  out.parts = std::move(parts);
  return out;
}

OpenPrior open_prior(const PriorParts& parts) {
  std::vector<GivenPriorPart> opened;
  for (const std::string& part : parts) opened.push_back(open_part(part));
  return prior_of(std::move(opened));
}

void require_same_rows(Index found, Index expected, const std::string& where,
                       const std::string& expected_of) {
  if (found == expected) return;
  fail_input(
      fmt::format("{}: {} rows, but {} has {}; priors and models must describe the same "
                  "samples in the same order",
                  where, found, expected_of, expected));
}

void require_rows_of(const OpenPrior& prior, Index rows, const std::string& expected_of) {
  for (const GivenPriorPart& part : prior.parts) {
    if (part.rows) require_same_rows(part.rows->rows(), rows, part.rows->where(), expected_of);
    if (!part.grouping.empty()) {
      require_same_rows(static_cast<Index>(part.grouping.size()), rows, part.name, expected_of);
    }
    if (part.views > 0) view_groups(rows, part.views);
  }
}

template <typename T>
TaskPrior<T> load_prior(ThreadPool& pool, const OpenPrior& prior, Index rows,
                        const KernelOptions& kernel) {
  TaskPrior<T> out;
  for (const GivenPriorPart& part : prior.parts) {
    if (part.rows)
      out.kernels.push_back(kernel_of_part<T>(pool, part, kernel));
    else
      out.groupings.push_back(part.views > 0 ? view_groups(rows, part.views) : part.grouping);
  }
  return out;
}

std::string kernel_file(const std::string& part) {
  return part.starts_with(kKernel) ? part.substr(kKernel.size()) : std::string();
}

std::vector<Label> grouping_of(Targets targets) {
  if (targets.kind != TargetKind::classes)  // one class alone is a prior, too
    fail_input(fmt::format("{}: a label prior needs classes, one per row", targets.where));
  return std::move(targets.labels);
}

std::vector<std::filesystem::path> label_files(const std::vector<PriorParts>& priors) {
  std::vector<std::filesystem::path> out;
  for (const PriorParts& parts : priors) {
    for (const std::string& part : parts)
      if (part.starts_with(kLabels)) out.emplace_back(part.substr(kLabels.size()));
  }
  return out;
}

template TaskPrior<float> load_prior(ThreadPool&, const OpenPrior&, Index, const KernelOptions&);
template TaskPrior<double> load_prior(ThreadPool&, const OpenPrior&, Index, const KernelOptions&);

}  // namespace assay
