#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/features.h"
#include "assay/prior.h"
#include "core/memory.h"
#include "parts/data_digest.h"
#include "parts/shared_units.h"
#include "prior/align_labels.h"
#include "prior/choose_temperature.h"
#include "prior/entry_factor.h"
#include "prior/label_free.h"
#include "prior/open_models.h"
#include "prior/open_prior.h"
#include "prior/principal_axes.h"
#include "prior/probe_r2.h"
#include "prior/sample_tasks.h"
#include "prior/score_fields.h"
#include "prior/stream_models.h"
#include "prior/task_prior.h"

namespace assay {
namespace {

// Whether entries of this kernel are safe in float, whatever the features are.
bool safe_in_float(KernelKind kind) {
  return kind != KernelKind::linear && kind != KernelKind::rbf;
}

// A model in memory. The axes are there when probe_r2 or the model's kernel needs them.
template <typename T>
struct LoadedModel {
  const PriorModel* open = nullptr;
  Kernel<T> kernel;
  std::optional<PrincipalAxes> axes = {};
  LabelFree label_free = {};
};

// What is found of one model: its scores under every prior, each by temperature.
struct PriorUnit {
  std::vector<std::vector<PriorScore>> scores;
  std::optional<LabelAlignment> alignment = {};
};

template <class Archive>
void fields(Archive& archive, PriorUnit& unit) {
  auto& [scores, alignment] = unit;
  archive(scores, alignment);
}

class PriorScorer {
 public:
  PriorScorer(ThreadPool& pool, const PriorScoreRequest& request, const ProgressCallback& progress)
      : pool_(pool),
        request_(request),
        progress_(progress),
        model_kernel_(request.model_kernel.value_or(request.kernel)) {
    model_kernel_.penalty = request.penalty;
    for (const PriorParts& parts : request.priors) priors_.push_back(open_prior(parts));
    for (const std::vector<GivenPriorPart>& parts : request.given_priors)
      priors_.push_back(prior_of(parts));
    models_ = open_prior_models(request, result_.failed);
    if (request.each) {
      for (const PriorModel& model : models_) {
        GivenPriorPart part{model.name, model.rows, model.is_kernel};
        priors_.push_back(prior_of({std::move(part)}));
      }
    }
    for (const OpenPrior& prior : priors_)
      require_rows_of(prior, count(), models_.front().rows->where());
    if (request.views > 0 && count() % request.views != 0)
      fail_input(fmt::format("`views` {}: {} rows are no whole number of {} views each",
                             request.views, count(), request.views));
    if (request.hub.targets || !request.labels.empty()) {
      Targets targets = request.hub.targets ? *request.hub.targets : load_targets(request.labels);
      const std::string where = targets.where;
      labels_ = grouping_of(std::move(targets));
      require_same_rows(static_cast<Index>(labels_.size()), count(), where,
                        models_.front().rows->where());
    }
  }

  PriorScoreResult run() {
    const bool exact = count() <= kExactCount;
    if (exact || !safe_in_float(request_.kernel.kind) || !safe_in_float(model_kernel_.kind))
      run_in<double>();
    else
      run_in<float>();
    gather();
    if (result_.scores.empty())
      fail_input(fmt::format("nothing could be scored: {}", result_.failed.front().error));
    note_inputs();
    return std::move(result_);
  }

 private:
  Index count() const { return models_.front().rows->rows(); }

  bool penalty_hangs_on_prior() const {
    return model_kernel_.kind == KernelKind::ridge &&
           request_.penalty.rule == RidgePenalty::Rule::loo;
  }
  bool needs_axes() const { return request_.probe_r2 || penalty_hangs_on_prior(); }

  template <typename T>
  Index bytes_of(const RowSource& rows) const {
    return Index{sizeof(T)} * rows.rows() * rows.cols();
  }

  template <typename T>
  Index bytes_of_prior(const OpenPrior& prior) const {
    Index bytes = 0;
    for (const GivenPriorPart& part : prior.parts)
      if (part.rows) bytes += bytes_of<T>(*part.rows);
    // Drawing tasks takes a copy in the order of the visits, and the labels.
    if (request_.probe_r2 && request_.r2_tasks > 0)
      bytes += bytes + Index{sizeof(Label)} * count() * request_.r2_tasks;
    return bytes;
  }

  // Axes, and the prior's image in them.
  template <typename T>
  Index bytes_of_model(const RowSource& rows) const {
    const Index axes = Index{sizeof(double)} * rows.rows() * std::min(rows.rows(), rows.cols());
    return bytes_of<T>(rows) + (needs_axes() ? 2 * axes : 0);
  }

  WorkList work() const {
    WorkList list{"prior score", {}, {}};
    for (const PriorModel& model : models_) list.units.push_back(model.name);
    for (Label label : labels_) list.data += std::to_string(label) + " ";
    list.data = digest_of(list.data);
    return list;
  }

  // In the order in which one process scores: models that fit in memory together, prior by prior.
  void gather() {
    units_->complete();
    for (std::size_t g = 0; g + 1 < groups_.size(); ++g) {
      std::vector<PriorUnit> units;
      for (std::size_t i = groups_[g]; i < groups_[g + 1]; ++i) {
        try {
          units.push_back(units_->take(static_cast<Index>(i)));
        } catch (const Error& error) {
          result_.failed.push_back({models_[i].name, error.what()});
        }
      }
      for (std::size_t p = 0; p < priors_.size(); ++p)
        for (PriorUnit& unit : units)
          std::ranges::move(unit.scores[p], std::back_inserter(result_.scores));
      for (PriorUnit& unit : units)
        if (unit.alignment) result_.alignments.push_back(std::move(*unit.alignment));
    }
  }

  template <typename T>
  void run_in() {
    units_.emplace(request_.share, work());
    found_.resize(models_.size());
    groups_ = {0};
    Index largest = 0;
    for (const OpenPrior& prior : priors_) largest = std::max(largest, bytes_of_prior<T>(prior));
    if (request_.pairs > 0 && streams()) {
      Index widest = 0;
      for (const PriorModel& model : models_)
        widest = std::max(widest, bytes_of_model<T>(*model.rows));
      if (largest + widest > request_.memory_limit) return stream();
    }
    // As many models together as memory allows: one tile of the prior serves them all.
    std::size_t first = 0;
    while (first < models_.size()) {
      std::size_t last = first;
      Index held = largest;
      while (last < models_.size()) {
        const Index more = bytes_of_model<T>(*models_[last].rows);
        if (held + more > request_.memory_limit && last > first) break;
        held += more;
        ++last;
      }
      require_memory(models_[first].rows->where(), "a prior beside this model", held,
                     request_.memory_limit,
                     request_.pairs == 0 && streams()
                         ? "set `pairs`, such as 1000000: files are then read block by block"
                         : "");
      score_models<T>(first, last);
      first = last;
      groups_.push_back(first);
    }
  }

  bool streams() const {
    return labels_.empty() && can_stream(request_, model_kernel_, priors_, models_);
  }

  // Every model under every prior, none of them ever whole in memory.
  void stream() {
    const double steps = static_cast<double>(priors_.size()) * static_cast<double>(units_->count());
    double done = 0.0;
    for (std::size_t i = 0; i < models_.size(); ++i) {
      units_->run(static_cast<Index>(i), [&] {
        const PriorModel& model = models_[i];
        LabelFree free;
        if (request_.label_free) free = label_free(pool_, *model.rows, views());
        PriorUnit unit;
        for (const OpenPrior& prior : priors_) {
          unit.scores.push_back(stream_model(pool_, request_, model_kernel_, model, prior, free,
                                             [&](double share, const std::string& what) {
                                               if (progress_)
                                                 progress_((done + share) / steps,
                                                           model.name + ", " + what);
                                             }));
          ++done;
        }
        return unit;
      });
    }
    groups_.push_back(models_.size());
  }

  template <typename T>
  LoadedModel<T> load_model(const PriorModel& model) const {
    LoadedModel<T> out{&model, {}};
    // A probe sees the rows as the model's kernel does.
    const bool unit_length = model_kernel_.kind == KernelKind::cosine ||
                             (model_kernel_.kind == KernelKind::ridge && model_kernel_.unit_length);
    if (model.is_kernel) {
      out.axes = kernel_axes(pool_, *model.rows, true);
      const PrincipalAxes as_given = kernel_axes(pool_, *model.rows, model_kernel_.center_matrix);
      out.kernel =
          kernel_of_factor<T>(pool_, as_given.z, model_kernel_.normalize, model.rows->where());
    } else {
      if (needs_axes()) out.axes = principal_axes(pool_, *model.rows, unit_length);
      if (model_kernel_.kind != KernelKind::ridge)
        out.kernel = make_kernel<T>(pool_, *model.rows, model_kernel_);
    }
    if (model_kernel_.kind == KernelKind::ridge && !penalty_hangs_on_prior()) {
      if (!out.axes) out.axes = principal_axes(pool_, *model.rows, unit_length);
      set_ridge(out, request_.penalty.known(out.axes->mean_eigenvalue()));
    }
    if (request_.label_free && !model.is_kernel)
      out.label_free = label_free(pool_, *model.rows, views());
    return out;
  }

  // Rows of one sample, as asked or as a prior of views says.
  Index views() const {
    if (request_.views > 0) return request_.views;
    for (const OpenPrior& prior : priors_)
      for (const GivenPriorPart& part : prior.parts)
        if (part.views > 0) return part.views;
    return 0;
  }

  template <typename T>
  void set_ridge(LoadedModel<T>& model, double penalty) const {
    model.kernel = kernel_of_factor<T>(pool_, ridge_factor(*model.axes, penalty),
                                       model_kernel_.normalize, model.open->rows->where());
  }

  template <typename T>
  void score_models(std::size_t first, std::size_t last) {
    std::vector<LoadedModel<T>> models;
    std::vector<std::optional<Error>> errors(models_.size());
    for (std::size_t i = first; i < last; ++i) {
      if (!units_->mine(static_cast<Index>(i))) continue;
      try {
        models.push_back(load_model<T>(models_[i]));
      } catch (const Error& error) {
        errors[i] = error;
      }
    }
    for (std::size_t p = 0; p < priors_.size() && !models.empty(); ++p) score_under<T>(p, models);
    for (const LoadedModel<T>& model : models) {
      if (labels_.empty()) break;
      found_of(model).alignment =
          align_labels<T>(pool_, model.open->name, *model.open->rows, model.kernel, labels_);
    }
    for (std::size_t i = first; i < last; ++i) {
      units_->run(static_cast<Index>(i), [&] {
        if (errors[i]) throw Error(*errors[i]);
        return std::move(found_[i]);
      });
    }
  }

  template <typename T>
  PriorUnit& found_of(const LoadedModel<T>& model) {
    return found_[static_cast<std::size_t>(model.open - models_.data())];
  }

  template <typename T>
  void score_under(std::size_t p, std::vector<LoadedModel<T>>& models) {
    TaskPrior<T> prior = load_prior<T>(pool_, priors_[p], count(), request_.kernel);
    const std::vector<double> temperatures = temperatures_for(prior, priors_[p].name);
    std::vector<std::optional<ProbeR2>> shares(models.size());
    if (needs_axes()) {
      for (std::size_t i = 0; i < models.size(); ++i) {
        const PriorImage image = prior_image<T>(pool_, prior, models[i].axes->z);
        const ProbeR2 found = probe_r2(pool_, *models[i].axes, image, request_.penalty);
        if (penalty_hangs_on_prior()) set_ridge(models[i], found.penalty);
        if (request_.probe_r2) shares[i] = found;
      }
    }
    std::vector<const Kernel<T>*> kernels;
    for (const LoadedModel<T>& model : models) kernels.push_back(&model.kernel);
    const std::vector<TaskMoments> moments = moments_of<T>(prior, kernels, temperatures, p);
    if (request_.probe_r2) add_spread(std::move(prior), priors_[p].name, models, shares);
    for (std::size_t i = 0; i < models.size(); ++i) {
      const PriorModel& model = *models[i].open;
      std::vector<PriorScore>& scores = found_of(models[i]).scores.emplace_back();
      for (std::size_t t = 0; t < temperatures.size(); ++t) {
        scores.push_back({priors_[p].name, model.name, temperatures[t],
                          moments[i * temperatures.size() + t], model.rows->rows(),
                          model.rows->cols(), shares[i], priors_[p].holds(model.name),
                          models[i].label_free});
      }
    }
  }

  // The spread of probe_r2 over tasks of two classes, as drawing tasks draws them.
  template <typename T>
  void add_spread(TaskPrior<T> prior, const std::string& name,
                  const std::vector<LoadedModel<T>>& models,
                  std::vector<std::optional<ProbeR2>>& shares) const {
    const bool has_factors = std::ranges::all_of(
        prior.kernels, [](const Kernel<T>& kernel) { return kernel.has_factor(); });
    if (request_.r2_tasks < 2 || (!has_factors && count() > kExactCount)) return;
    prior = with_factors(std::move(prior), name);
    SampleOptions options;
    options.tasks = request_.r2_tasks;
    options.seed = request_.seed;
    const std::optional<double> chosen =
        choose_temperature(pool_, prior, options, SampleTasksRequest{}.diversity);
    if (!chosen) return;
    options.temperature = *chosen;
    const SampledLabels tasks = sample_tasks(pool_, prior, options);
    for (std::size_t i = 0; i < models.size(); ++i) {
      const Vector values =
          task_r2(pool_, *models[i].axes, tasks.labels, options.classes, shares[i]->penalty);
      std::vector<double> known;
      for (const double value : values)
        if (!std::isnan(value)) known.push_back(value);
      if (known.size() < 2) continue;
      const Eigen::Map<const Vector> v(known.data(), static_cast<Index>(known.size()));
      shares[i]->task_mean = v.mean();
      shares[i]->sd =
          std::sqrt((v.array() - v.mean()).square().sum() / static_cast<double>(known.size() - 1));
    }
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

  void note_inputs() {
    for (const OpenPrior& prior : priors_) {
      for (const GivenPriorPart& part : prior.parts)
        if (part.rows)
          for (FileDigest& digest : part.rows->digests()) result_.inputs.push_back(digest);
    }
    for (const std::filesystem::path& file : label_files(request_.priors))
      result_.inputs.push_back({file, file_digest(file)});
    if (!request_.each)
      for (const PriorModel& model : models_)
        for (FileDigest& digest : model.rows->digests()) result_.inputs.push_back(digest);
    if (!request_.labels.empty())
      result_.inputs.push_back({request_.labels, file_digest(request_.labels)});
  }

  ThreadPool& pool_;
  const PriorScoreRequest& request_;
  const ProgressCallback& progress_;
  KernelOptions model_kernel_;
  std::vector<OpenPrior> priors_;
  std::vector<PriorModel> models_;
  std::vector<Label> labels_;
  std::optional<SharedUnits<PriorUnit>> units_;
  std::vector<PriorUnit> found_;     // of the models that are scored here
  std::vector<std::size_t> groups_;  // where groups of models in memory together begin, and the end
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
