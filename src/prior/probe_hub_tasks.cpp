#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/features.h"
#include "assay/hub.h"
#include "assay/prior.h"
#include "data/read_samples.h"
#include "hub/open_rows.h"
#include "parts/shared_units.h"
#include "prior/correlate_models.h"
#include "prior/load_tasks.h"
#include "prior/probe_tasks.h"
#include "prior/score_fields.h"

namespace assay {
namespace {

double variance_of(const Vector& values) {
  if (values.size() < 2) return 0.0;
  return (values.array() - values.mean()).square().sum() / static_cast<double>(values.size() - 1);
}

// One model probed, and the files behind it.
struct ProbeUnit {
  ProbedModel model;
  std::vector<FileDigest> digests;
};

template <class Archive>
void fields(Archive& archive, ProbeUnit& unit) {
  auto& [model, digests] = unit;
  archive(model, digests);
}

// Scores the models that were probed here and leaves the others alone.
class ProbedHere : public WorkShare {
 public:
  explicit ProbedHere(const std::vector<std::optional<ProbeUnit>>& probed) {
    for (const std::optional<ProbeUnit>& unit : probed)
      if (unit) names_.push_back(unit->model.name);
  }

  bool any() const { return !names_.empty(); }
  void begin(const WorkList& list) override { units_ = list.units; }
  bool computes(Index unit) const override {
    return std::ranges::find(names_, units_[static_cast<std::size_t>(unit)]) != names_.end();
  }
  void keep(Index /*unit*/, UnitOutcome /*outcome*/) override {}
  void complete() override {}
  std::optional<UnitOutcome> outcome(Index /*unit*/) const override { return {}; }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> units_;
};

// The closed form beside each probed model, where a prior was named.
void add_closed_forms(ThreadPool& pool, const ProbeTasksRequest& request,
                      const ProgressCallback& progress,
                      std::vector<std::optional<ProbeUnit>>& probed) {
  if (request.priors.empty() && request.given_priors.empty()) return;
  ProbedHere here(probed);
  if (!here.any()) return;
  PriorScoreRequest prior;
  prior.inputs = request.inputs;
  prior.hub = request.hub;
  prior.priors = request.priors;
  prior.given_priors = request.given_priors;
  prior.temperatures = request.temperatures;
  prior.kernel = request.kernel;
  prior.model_kernel = request.model_kernel;
  prior.penalty = request.penalty;
  prior.graph = request.graph;
  prior.label_free = false;
  prior.seed = request.options.seed;
  prior.memory_limit = request.memory_limit;
  if (request.share != nullptr) prior.share = &here;
  const PriorScoreResult scores = score_prior(pool, prior, progress);
  for (std::optional<ProbeUnit>& unit : probed) {
    if (!unit) continue;
    const auto found = std::ranges::find(scores.scores, unit->model.name, &PriorScore::name);
    if (found != scores.scores.end()) unit->model.closed_form = *found;
  }
}

// The paper's Figures 2 to 4: the signs among models, and the closed forms against the probes.
class Comparisons {
 public:
  Comparisons(const ProbeTasksResult& result, std::uint64_t seed)
      : tasks_(result.tasks), seed_(seed) {
    for (const ProbedModel& model : result.models) {
      if (model.closed_form && model.closed_form->own) continue;
      all_.push_back(&model);
      closed_ = closed_ && model.closed_form.has_value();
    }
  }

  std::vector<NamedCorrelation> run() const {
    const ModelNumbers mean = [&](std::size_t m, const std::vector<Index>& tasks) {
      return all_[m]->accuracy(tasks).mean();
    };
    const ModelNumbers variance = [&](std::size_t m, const std::vector<Index>& tasks) {
      return tasks_ < 2 ? 0.0 : variance_of(all_[m]->accuracy(tasks)) - all_[m]->test_noise;
    };
    std::vector<NamedCorrelation> out;
    out.push_back(
        named("mean_and_variance", "mean accuracy with its variance over tasks", mean, variance));
    if (!closed_) return out;
    const auto of = [&](auto value) -> ModelNumbers {
      return [this, value](std::size_t m, const std::vector<Index>&) {
        return value(*all_[m]->closed_form);
      };
    };
    const ModelNumbers expectation = of([](const PriorScore& s) { return s.moments.expectation; });
    const ModelNumbers spread = of([](const PriorScore& s) { return s.moments.variance; });
    const ModelNumbers share = of([](const PriorScore& s) { return s.probe_r2->value; });
    out.push_back(named("mean_probe_r2", "mean accuracy with probe R²", mean, share));
    out.push_back(named("mean", "mean accuracy with E Tr(MG)", mean, expectation));
    out.push_back(named("variance", "variance over tasks with Var Tr(MG)", variance, spread));
    out.push_back(
        named("expectation_and_variance", "E Tr(MG) with Var Tr(MG)", expectation, spread));
    return out;
  }

 private:
  NamedCorrelation named(std::string name, std::string text, const ModelNumbers& a,
                         const ModelNumbers& b) const {
    return {std::move(name), std::move(text), correlate_models(all_.size(), tasks_, a, b, seed_)};
  }

  std::vector<const ProbedModel*> all_;
  Index tasks_;
  std::uint64_t seed_;
  bool closed_ = true;
};

}  // namespace

double ProbedModel::variance() const { return variance_of(accuracy); }

std::vector<Index> ProbedModel::worst_tasks() const {
  std::vector<Index> order(static_cast<std::size_t>(accuracy.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index task) { return accuracy[task]; });
  order.resize(std::max<std::size_t>(1, order.size() / 20));
  return order;
}

double ProbedModel::worst() const { return accuracy(worst_tasks()).mean(); }

namespace {

ProbeUnit probe_model(ThreadPool& pool, const ProbeTasksRequest& request, const Model& files,
                      const LoadedTasks& tasks) {
  const Rows rows = open_rows(files);
  if (rows->rows() != tasks.count) {
    fail_input(fmt::format("{}: {} rows, but the tasks of {} label {}", rows->where(), rows->rows(),
                           tasks.where, tasks.count));
  }
  require_samples_memory(*rows, tasks.classes, request.memory_limit);
  const TaskAccuracies probed =
      probe_tasks(pool, read_samples(pool, *rows), tasks.labels, tasks.classes, request.options);
  return {{files.name, rows->cols(), probed.penalty, probed.accuracy, probed.test_noise},
          rows->digests()};
}

void probe_models(ThreadPool& pool, const ProbeTasksRequest& request,
                  const ProgressCallback& progress, const std::vector<Model>& models,
                  const LoadedTasks& tasks, ProbeTasksResult& result) {
  std::vector<Label> labels = tasks.labels;
  WorkList list{"prior probe", {}, digest_of(labels)};
  for (const Model& files : models) list.units.push_back(files.name);
  SharedUnits<ProbeUnit> units(request.share, list);
  std::vector<std::optional<ProbeUnit>> probed(models.size());
  std::vector<std::optional<Error>> errors(models.size());
  Index done = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (!units.mine(static_cast<Index>(i))) continue;
    if (progress)
      progress(static_cast<double>(done++) / static_cast<double>(units.count()), models[i].name);
    try {
      probed[i] = probe_model(pool, request, models[i], tasks);
    } catch (const Error& error) {
      errors[i] = error;
    }
  }
  add_closed_forms(pool, request, progress, probed);
  for (std::size_t i = 0; i < models.size(); ++i) {
    units.run(static_cast<Index>(i), [&] {
      if (errors[i]) throw Error(*errors[i]);
      return std::move(*probed[i]);
    });
  }
  units.complete();
  for (std::size_t i = 0; i < models.size(); ++i) {
    try {
      ProbeUnit unit = units.take(static_cast<Index>(i));
      result.models.push_back(std::move(unit.model));
      std::ranges::move(unit.digests, std::back_inserter(result.inputs));
    } catch (const Error& error) {
      result.failed.push_back({models[i].name, error.what()});
    }
  }
}

}  // namespace

ProbeTasksResult probe_hub_tasks(ThreadPool& pool, const ProbeTasksRequest& request,
                                 const ProgressCallback& progress) {
  const ModelList found = request.hub.models.empty() ? find_models(request.inputs, request.tasks)
                                                     : models_by_name(request.hub);
  const LoadedTasks tasks =
      request.given_tasks.empty()
          ? load_tasks(request.tasks)
          : given_tasks(request.given_tasks, open_rows(found.models.front())->rows());
  ProbeTasksResult result;
  result.tasks = tasks.tasks;
  result.count = tasks.count;
  result.classes = tasks.classes;
  result.chance = chance_accuracy(tasks.labels, tasks.count, tasks.classes);
  probe_models(pool, request, progress, found.models, tasks, result);
  if (result.models.empty())
    fail_input(fmt::format("nothing could be probed: {}", result.failed.front().error));
  if (!request.tasks.empty()) result.inputs.push_back({request.tasks, file_digest(request.tasks)});
  result.correlations = Comparisons(result, request.options.seed).run();
  return result;
}

}  // namespace assay
