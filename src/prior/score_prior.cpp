#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/features.h"
#include "assay/hub.h"
#include "assay/prior.h"
#include "core/memory.h"
#include "core/text.h"
#include "hub/hub_or_files.h"
#include "hub/open_rows.h"
#include "prior/kernel.h"
#include "prior/task_prior.h"

namespace assay {
namespace {

constexpr std::string_view kLabels = "labels:";
constexpr std::string_view kViews = "views:";

std::vector<Label> grouping_of(Targets targets) {
  if (targets.kind != TargetKind::classes)  // one class alone is a prior, too
    fail_input(fmt::format("{}: a label prior needs classes, one per row", targets.where));
  return std::move(targets.labels);
}

GivenPriorPart open_part(const std::string& part) {
  GivenPriorPart out;
  if (part.starts_with(kViews)) {
    const std::string_view number = std::string_view(part).substr(kViews.size());
    const auto [end, code] =
        std::from_chars(number.data(), number.data() + number.size(), out.views);
    if (code != std::errc() || end != number.data() + number.size() || out.views < 1)
      fail_input(
          fmt::format("`prior` {}: expected views:V with a number of views, like views:2", part));
    out.name = part;
    return out;
  }
  if (part.starts_with(kLabels)) {
    const std::filesystem::path file = part.substr(kLabels.size());
    out.name = std::string(kLabels) + file.stem().string();
    out.grouping = grouping_of(load_targets(file));
    return out;
  }
  const ModelList found = find_models({part}, {});
  if (found.models.size() != 1) {
    fail_input(fmt::format("`prior` {}: holds {} models; name the one that is the prior", part,
                           found.models.size()));
  }
  out.name = found.models.front().name;
  out.rows = open_rows(found.models.front());
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

struct OpenPrior {
  std::string name;
  std::vector<GivenPriorPart> parts;
};

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

struct OpenedModel {
  std::string name;
  Rows rows;
};

// Whether entries of this kernel are safe in float, whatever the features are.
bool safe_in_float(KernelKind kind) {
  return kind == KernelKind::cosine || kind == KernelKind::projection;
}

class PriorScorer {
 public:
  PriorScorer(ThreadPool& pool, const PriorScoreRequest& request, const ProgressCallback& progress)
      : pool_(pool), request_(request), progress_(progress) {
    for (const PriorParts& parts : request.priors) priors_.push_back(open_prior(parts));
    for (const std::vector<GivenPriorPart>& parts : request.given_priors)
      priors_.push_back(prior_of(parts));
    open_models();
    const Index rows = models_.front().rows->rows();
    for (const OpenPrior& prior : priors_) check_rows(prior, rows);
    if (request.hub.targets || !request.labels.empty()) {
      Targets targets = targets_from(request.hub, request.labels);
      const std::string where = targets.where;
      labels_ = grouping_of(std::move(targets));
      require_rows(static_cast<Index>(labels_.size()), rows, where);
    }
  }

  PriorScoreResult run() {
    const bool exact = models_.front().rows->rows() <= kExactCount;
    if (exact || !safe_in_float(request_.kernel.kind))
      run_in<double>();
    else
      run_in<float>();
    if (result_.scores.empty())
      fail_input(fmt::format("nothing could be scored: {}", result_.failed.front().error));
    note_inputs();
    return std::move(result_);
  }

 private:
  void open_models() {
    const ModelList found = models_from(request_.hub, request_.inputs, request_.labels);
    for (const Model& files : found.models) {
      try {
        OpenedModel model{files.name, open_rows(files)};
        if (!models_.empty())
          require_rows(model.rows->rows(), models_.front().rows->rows(), model.rows->where());
        models_.push_back(std::move(model));
      } catch (const Error& error) {
        result_.failed.push_back({files.name, error.what()});
      }
    }
    if (models_.empty())
      fail_input(fmt::format("nothing could be read: {}", result_.failed.front().error));
    if (models_.front().rows->rows() < 2)
      fail_input(fmt::format("{}: one row has no pairs; a task prior needs two or more",
                             models_.front().rows->where()));
  }

  void require_rows(Index found, Index expected, const std::string& where) const {
    if (found == expected) return;
    fail_input(
        fmt::format("{}: {} rows, but {} has {}; priors and models must describe the same "
                    "samples in the same order",
                    where, found, models_.front().rows->where(), expected));
  }

  void check_rows(const OpenPrior& prior, Index rows) const {
    for (const GivenPriorPart& part : prior.parts) {
      if (part.rows) require_rows(part.rows->rows(), rows, part.rows->where());
      if (!part.grouping.empty())
        require_rows(static_cast<Index>(part.grouping.size()), rows, part.name);
      if (part.views > 0) view_groups(rows, part.views);
    }
  }

  template <typename T>
  Index bytes_of(const RowSource& rows) const {
    return Index{sizeof(T)} * rows.rows() * rows.cols();
  }

  template <typename T>
  void run_in() {
    Index largest = 0;
    for (const OpenPrior& prior : priors_) {
      Index bytes = 0;
      for (const GivenPriorPart& part : prior.parts)
        if (part.rows) bytes += bytes_of<T>(*part.rows);
      largest = std::max(largest, bytes);
    }
    std::vector<TaskPrior<T>> priors;
    Index held = 0;
    // As many models together as memory allows: one tile of the prior serves them all.
    std::size_t first = 0;
    while (first < models_.size()) {
      std::size_t last = first;
      held = largest;
      while (last < models_.size()) {
        const Index more = bytes_of<T>(*models_[last].rows);
        if (held + more > request_.memory_limit && last > first) break;
        held += more;
        ++last;
      }
      require_memory(models_[first].rows->where(), "a prior beside this model", held,
                     request_.memory_limit);
      score_models<T>(first, last);
      first = last;
    }
  }

  template <typename T>
  TaskPrior<T> load_prior(const OpenPrior& prior, Index rows) const {
    TaskPrior<T> out;
    for (const GivenPriorPart& part : prior.parts) {
      if (part.rows)
        out.kernels.push_back(make_kernel<T>(pool_, *part.rows, request_.kernel));
      else
        out.groupings.push_back(part.views > 0 ? view_groups(rows, part.views) : part.grouping);
    }
    return out;
  }

  template <typename T>
  void score_models(std::size_t first, std::size_t last) {
    std::vector<Kernel<T>> kernels;
    std::vector<const OpenedModel*> models;
    for (std::size_t i = first; i < last; ++i) {
      try {
        kernels.push_back(make_kernel<T>(pool_, *models_[i].rows, request_.kernel));
        models.push_back(&models_[i]);
      } catch (const Error& error) {
        result_.failed.push_back({models_[i].name, error.what()});
      }
    }
    if (models.empty()) return;
    std::vector<const Kernel<T>*> views;
    for (const Kernel<T>& kernel : kernels) views.push_back(&kernel);
    for (std::size_t p = 0; p < priors_.size(); ++p) {
      const TaskPrior<T> prior = load_prior<T>(priors_[p], kernels.front().count());
      const std::vector<double> temperatures = temperatures_for(prior, priors_[p].name);
      const std::vector<TaskMoments> moments = moments_of<T>(prior, views, temperatures, p);
      for (std::size_t i = 0; i < models.size(); ++i) {
        for (std::size_t t = 0; t < temperatures.size(); ++t) {
          result_.scores.push_back({priors_[p].name, models[i]->name, temperatures[t],
                                    moments[i * temperatures.size() + t], models[i]->rows->rows(),
                                    models[i]->rows->cols()});
        }
      }
    }
    if (labels_.empty()) return;
    for (std::size_t i = 0; i < models.size(); ++i) align(*models[i], kernels[i]);
  }

  template <typename T>
  std::vector<TaskMoments> moments_of(const TaskPrior<T>& prior,
                                      const std::vector<const Kernel<T>*>& models,
                                      const std::vector<double>& temperatures, std::size_t p) {
    if (request_.pairs > 0 && prior.groupings.empty() && prior.kernels.front().has_factor()) {
      return sampled_task_moments<T>(pool_, prior, models, temperatures, request_.graph,
                                     request_.pairs, request_.seed);
    }
    return task_moments<T>(pool_, prior, models, temperatures, request_.graph,
                           [&](double done, const std::string& what) {
                             if (!progress_) return;
                             const auto all = static_cast<double>(priors_.size());
                             progress_((static_cast<double>(p) + done) / all, what);
                           });
  }

  template <typename T>
  std::vector<double> temperatures_for(const TaskPrior<T>& prior, const std::string& name) const {
    if (!request_.temperatures.empty()) return request_.temperatures;
    const double median = median_temperature(prior, request_.seed);
    if (median > 0.0) return {median};
    fail_input(
        fmt::format("`temperature` auto: every entry of prior {} off the diagonal is "
                    "zero; give a number",
                    name));
  }

  // Theorem 3.3. A label prior at T -> 0 weighs pairs of one class 1 and others 1/2; at T ->
  // infinity all weigh 1/2.
  template <typename T>
  void align(const OpenedModel& model, const Kernel<T>& kernel) {
    TaskPrior<T> prior;
    prior.groupings.push_back(labels_);
    const Kernel<T>* const one[] = {&kernel};
    static constexpr double kLimits[] = {1e-6, 1e30};
    const std::vector<TaskMoments> moments =
        task_moments<T>(pool_, prior, one, kLimits, Graph::directed);
    KernelOptions projection;
    projection.kind = KernelKind::projection;
    const Kernel<double> span = make_kernel<double>(pool_, *model.rows, projection);
    const std::vector<Label>& y = labels_;
    Matrix sums = Matrix::Zero(span.factor().rows(), *std::max_element(y.begin(), y.end()) + 1);
    Vector counts = Vector::Zero(sums.cols());
    for (std::size_t i = 0; i < y.size(); ++i) {
      sums.col(y[i]) += span.factor().col(static_cast<Index>(i));
      counts[y[i]] += 1.0;
    }
    const auto n = static_cast<double>(y.size());
    const double spread = n - counts.squaredNorm() / n;  // |Y H|_F^2
    result_.alignments.push_back({model.name,
                                  2.0 * (moments[0].expectation - moments[1].expectation),
                                  std::max(0.0, spread - sums.squaredNorm()) / n});
  }

  void note_inputs() {
    for (const OpenPrior& prior : priors_) {
      for (const GivenPriorPart& part : prior.parts)
        if (part.rows)
          for (FileDigest& digest : part.rows->digests()) result_.inputs.push_back(digest);
    }
    for (const PriorParts& parts : request_.priors) {
      for (const std::string& part : parts) {
        if (!part.starts_with(kLabels)) continue;
        const std::filesystem::path file = part.substr(kLabels.size());
        result_.inputs.push_back({file, file_digest(file)});
      }
    }
    for (const OpenedModel& model : models_)
      for (FileDigest& digest : model.rows->digests()) result_.inputs.push_back(digest);
    if (!request_.labels.empty())
      result_.inputs.push_back({request_.labels, file_digest(request_.labels)});
  }

  ThreadPool& pool_;
  const PriorScoreRequest& request_;
  const ProgressCallback& progress_;
  std::vector<OpenPrior> priors_;
  std::vector<OpenedModel> models_;
  std::vector<Label> labels_;
  PriorScoreResult result_;
};

}  // namespace

double PriorScore::expectation_per_pair() const {
  return moments.expectation / (static_cast<double>(n) * static_cast<double>(n));
}

double PriorScore::sd_per_pair() const {
  return std::sqrt(std::max(0.0, moments.variance)) /
         (static_cast<double>(n) * static_cast<double>(n));
}

PriorScoreResult score_prior(ThreadPool& pool, const PriorScoreRequest& request,
                             const ProgressCallback& progress) {
  return PriorScorer(pool, request, progress).run();
}

}  // namespace assay
