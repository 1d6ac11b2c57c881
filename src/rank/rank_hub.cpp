#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/features.h"
#include "assay/hub.h"
#include "assay/rank.h"
#include "core/random.h"
#include "core/text.h"
#include "data/folds.h"
#include "data/moments_pass.h"
#include "data/read_samples.h"
#include "data/subsample.h"
#include "rank/hub_settings.h"
#include "rank/order_models.h"
#include "rank/rank_notes.h"
#include "rank/score_draws.h"
#include "stats/jackknife.h"

namespace assay {
namespace {

// What is given, then files of features; a network's own saved features are passed over.
Catalogue models_of(const RankRequest& request) {
  if (request.given.models.empty()) return find_models(request.inputs, request.labels);
  Catalogue catalogue = given_models(request.given);
  if (request.inputs.empty()) return catalogue;
  for (ModelFiles& saved : list_models(request.inputs, {}).models) {
    const bool known = std::any_of(catalogue.models.begin(), catalogue.models.end(),
                                   [&](const ModelFiles& m) { return m.name == saved.name; });
    if (!known) catalogue.models.push_back(std::move(saved));
  }
  std::sort(catalogue.models.begin(), catalogue.models.end(),
            [](const ModelFiles& a, const ModelFiles& b) { return a.name < b.name; });
  return catalogue;
}

Targets read_labels(const RankRequest& request, const Catalogue& catalogue) {
  if (request.given.targets) return *request.given.targets;
  if (!request.labels.empty()) return load_targets(request.labels);
  const ModelFiles& first = catalogue.models.front();
  if (first.rows) fail_input("no labels: one label per row is expected");
  std::optional<Targets> inside =
      first.features.size() == 1 ? embedded_labels(first.features.front()) : std::nullopt;
  if (!inside) {
    fail_input(fmt::format("no labels: name them with --labels FILE ({} holds none)",
                           first.features.front().string()));
  }
  return std::move(*inside);
}

// Centre regression targets before summing: with a large mean, sums of squares about zero lose all
// digits.
Targets usable_labels(const RankRequest& request, const Catalogue& catalogue) {
  Targets targets = read_labels(request, catalogue);
  if (centers(request, targets.kind) && targets.kind == TargetKind::regression &&
      targets.rows() > 0)
    targets.values.rowwise() -= targets.values.colwise().mean().eval();
  return targets;
}

void check_labels(const Targets& targets) {
  if (targets.rows() == 0) fail_input(fmt::format("{}: no labels in it", targets.where));
  if (targets.kind == TargetKind::classes && targets.columns() < 2) {
    fail_input(fmt::format("{}: only one class, '{}'; ranking needs at least two", targets.where,
                           targets.names[0]));
  }
}

Folds make_folds(const RankRequest& request, const Targets& targets) {
  if (request.level == 0.0) return {};
  if (request.groups.empty() && !request.given.groups)
    return stratified_folds(targets, request.folds, request.seed);
  const Targets groups =
      request.given.groups ? *request.given.groups : load_targets(request.groups);
  if (groups.kind != TargetKind::classes || groups.rows() != targets.rows()) {
    fail_input(
        fmt::format("{}: expected {} group ids (integers or text), one per sample, got {} {}",
                    groups.where, targets.rows(), groups.rows(),
                    groups.kind == TargetKind::classes ? "ids" : "numbers that are not ids"));
  }
  return grouped_folds(groups.labels, request.folds, request.seed);
}

// Noise that no metric should like: what a model is worth must be read against it.
Rows noise_control(Index samples, Index dim, std::uint64_t seed) {
  Random random(seed + 1);
  Matrix noise(samples, dim);
  for (double& value : noise.reshaped()) value = random.normal();
  return rows_of_matrix(noise, "noise control");
}

Targets permuted(const Targets& targets, std::uint64_t seed) {
  Random random(seed + 2);
  return targets_of_rows(targets, random.permutation(targets.rows()));
}

// Metrics that only served to settle others are shown to nobody.
void hide(RankResult& result, const MetricsInUse& metrics) {
  const auto erase_from = [&](std::vector<ScoredModel>& models) {
    for (ScoredModel& model : models) {
      std::erase_if(model.scores, [&](const MetricScore& s) { return !metrics.shown(s.metric); });
    }
  };
  erase_from(result.models);
  erase_from(result.controls);
  std::erase_if(result.metrics, [&](const Metric* m) { return !metrics.shown(m); });
}

class HubRanker {
 public:
  HubRanker(ThreadPool& pool, const RankRequest& request, const ProgressCallback& progress)
      : pool_(pool),
        request_(request),
        progress_(progress),
        catalogue_(models_of(request)),
        targets_(usable_labels(request, catalogue_)),
        metrics_(checked(request, targets_), targets_),
        folds_(request.subsample ? Folds{} : make_folds(request, targets_)) {
    if (request.subsample) draws_ = draw_rows(*request.subsample, targets_, request.seed);
  }

  RankResult run() {
    result_.folds = folds_.count;
    result_.target_kind = targets_.kind;
    result_.centered = centers(request_, targets_.kind);
    result_.columns = targets_.columns();
    result_.column_names = targets_.names;
    result_.draws = static_cast<Index>(draws_.size());
    result_.draw_rows = draws_.empty() ? 0 : static_cast<Index>(draws_.front().size());
    result_.failed = request_.given.failed;
    result_.notes = request_.given.notes;
    result_.inputs = request_.given.inputs;
    if (request_.subsample) add_draw_notes(request_, targets_, result_);
    if (request_.level > 0.0 && folds_.count == 0)
      result_.notes.emplace_back("no intervals: they need at least two samples, or two groups");
    prepare();
    score_models();
    if (result_.models.empty()) {
      std::string reasons;
      for (const FailedModel& failed : result_.failed)
        reasons += fmt::format("\n  {}", failed.error);
      fail_input(fmt::format("nothing left to rank:{}", reasons));
    }
    result_.metrics = metrics_.all();
    result_.left_out = metrics_.left_out();
    if (request_.controls) add_noise();
    finish();
    if (request_.controls) add_permuted();
    add_notes(request_, targets_, catalogue_, result_);
    add_disagreements(result_);
    for (const std::filesystem::path& file : {request_.labels, request_.groups}) {
      if (!file.empty()) result_.inputs.push_back({file, file_digest(file)});
    }
    return std::move(result_);
  }

 private:
  static const RankRequest& checked(const RankRequest& request, const Targets& targets) {
    check_labels(targets);
    return request;
  }

  // What is known of one model, and what came of it.
  struct Outcome {
    std::optional<OpenModel> opened;  // kept open where memory allows, or files are read twice
    std::optional<ScoredModel> scored;
    std::string error;
  };

  // Which metrics every readable model can be scored by, and what the largest takes in memory.
  void prepare() {
    outcomes_.resize(catalogue_.models.size());
    Index open_bytes = 0;
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      OpenModel model;
      try {
        model = open_model(catalogue_.models[i], metrics_.wants_probabilities());
      } catch (const Error& error) {
        outcomes_[i].error = error.what();
        continue;
      }
      metrics_.fit(model, request_);
      largest_ = std::max(largest_, memory_of(*model.rows));
      open_bytes += Index{sizeof(double)} * model.rows->rows() * model.rows->cols();
      if (open_bytes <= request_.memory_limit / 4) outcomes_[i].opened = std::move(model);
    }
  }

  // An upper bound of what scoring one model on one thread holds.
  Index memory_of(const RowSource& rows) const {
    constexpr Index beside = Index{320} << 20;  // blocks of rows and the folds' moments
    return samples_memory(rows) + 8 * moments_bytes(rows.cols(), targets_.columns()) + beside;
  }

  // Metrics on samples have parts that one thread must do alone, so models go side by side where
  // memory allows; moments are best shared out within a model.
  void score_models() {
    const bool samples = std::any_of(metrics_.all().begin(), metrics_.all().end(),
                                     [](const Metric* m) { return m->from_samples != nullptr; });
    const auto count = static_cast<Index>(outcomes_.size());
    const bool together = samples && draws_.empty() && count >= pool_.threads() &&
                          largest_ * pool_.threads() <= request_.memory_limit;
    const auto score_number = [&](Index i) { score_one(static_cast<std::size_t>(i), together); };
    if (together) {
      pool_.run(count, score_number);
    } else {
      for (Index i = 0; i < count; ++i) score_number(i);
    }
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      if (outcomes_[i].scored) {
        result_.models.push_back(std::move(*outcomes_[i].scored));
      } else {
        result_.failed.push_back({catalogue_.models[i].name, outcomes_[i].error});
      }
    }
  }

  void score_one(std::size_t i, bool together) {
    const ModelFiles& files = catalogue_.models[i];
    if (outcomes_[i].error.empty()) {
      const ProgressCallback within = [&](double done, const std::string&) {
        if (!together) report(static_cast<double>(i) + done, files.name);
      };
      try {
        const OpenModel model = outcomes_[i].opened
                                    ? *std::exchange(outcomes_[i].opened, std::nullopt)
                                    : open_model(files, metrics_.wants_probabilities());
        outcomes_[i].scored = score(model, targets_, within);
      } catch (const Error& error) {
        outcomes_[i].error = error.what();
      }
    }
    const std::lock_guard lock(mutex_);
    report(static_cast<double>(++finished_), files.name);
  }

  void report(double models, const std::string& name) const {
    if (progress_) progress_(models / static_cast<double>(outcomes_.size()), name);
  }

  ScoredModel score(const OpenModel& model, const Targets& targets,
                    const ProgressCallback& progress) const {
    return draws_.empty()
               ? score_all_rows(pool_, model, targets, folds_, metrics_.all(), request_, progress)
               : score_draws(pool_, model, targets, draws_, metrics_.all(), request_, progress);
  }

  void finish() {
    settle(result_);
    if (result_.draws > 0) {
      for (ScoredModel& model : result_.models) take_means_of_draws(model);
      for (ScoredModel& control : result_.controls) take_means_of_draws(control);
    }
    hide(result_, metrics_);
    rank_models(request_, result_);
    add_agreement(result_);
    add_costs(request_.given, result_);
  }

  void add_noise() {
    Index dim = 0;
    for (const ScoredModel& model : result_.models) dim = std::max(dim, model.dim);
    if (Index{16} * dim * targets_.rows() > request_.memory_limit / 2) {
      result_.notes.emplace_back("the noise control was left out: it would not fit --memory-limit");
      return;
    }
    add_control({"noise", noise_control(targets_.rows(), dim, request_.seed), {}}, targets_);
  }

  // The winner's features with labels that belong to other samples.
  void add_permuted() {
    const std::string& winner =
        result_.models[static_cast<std::size_t>(result_.ranking.places.front().candidate)].name;
    const auto files = std::find_if(catalogue_.models.begin(), catalogue_.models.end(),
                                    [&](const ModelFiles& model) { return model.name == winner; });
    OpenModel model = open_model(*files, metrics_.wants_probabilities());
    model.name = fmt::format("{}, labels permuted", winner);
    add_control(model, permuted(targets_, request_.seed));
    ScoredModel& control = result_.controls.back();
    for (MetricScore& score : control.scores) {
      const auto chosen = result_.settings.find(score.metric);
      if (chosen != result_.settings.end()) apply_settings(score, chosen->second);
    }
    if (result_.draws > 0) take_means_of_draws(control);
    hide(result_, metrics_);
  }

  // Controls have no source model: metrics on its probabilities stay empty.
  void add_control(const OpenModel& model, const Targets& targets) {
    std::vector<const Metric*> possible;
    for (const Metric* metric : metrics_.all()) {
      if (metric->from_probabilities == nullptr || model.probabilities) possible.push_back(metric);
    }
    ScoredModel scored = draws_.empty()
                             ? score_all_rows(pool_, model, targets, folds_, possible, request_, {})
                             : score_draws(pool_, model, targets, draws_, possible, request_, {});
    for (std::size_t m = 0; m < metrics_.all().size(); ++m) {
      if (m < scored.scores.size() && scored.scores[m].metric == metrics_.all()[m]) continue;
      MetricScore missing{.metric = metrics_.all()[m]};
      missing.score.value = std::numeric_limits<double>::quiet_NaN();
      scored.scores.insert(scored.scores.begin() + static_cast<std::ptrdiff_t>(m), missing);
    }
    result_.controls.push_back(std::move(scored));
  }

  ThreadPool& pool_;
  const RankRequest& request_;
  const ProgressCallback& progress_;
  Catalogue catalogue_;
  Targets targets_;
  MetricsInUse metrics_;
  Folds folds_;
  std::vector<std::vector<Index>> draws_;
  std::vector<Outcome> outcomes_;
  Index largest_ = 0;  // bytes
  std::mutex mutex_;
  Index finished_ = 0;
  RankResult result_;
};

}  // namespace

std::optional<Interval> score_interval(const MetricScore& score, double level) {
  if (score.replicates.size() < 2 || level <= 0.0) return {};
  const double factor = student_t_factor(level, static_cast<double>(score.replicates.size()) - 1.0);
  const double half =
      factor * jackknife_standard_error(score.score.value, score.replicates, score.pair_replicates);
  return Interval{score.score.value - half, score.score.value + half};
}

void choose_metrics(RankRequest& request, std::string_view list, std::string_view by) {
  request.metrics = parse_metrics(list);
  request.by_consensus = by == "consensus" || (by.empty() && (list == "default" || list == "all"));
  if (by == "consensus" &&
      std::ranges::count_if(request.metrics, [](const Metric* m) { return may_vote(*m); }) < 2) {
    fail_input(
        "--by consensus: needs two or more of logme, ridge_loo, knn, ncc_loo, linear_valid and "
        "pactran_gauss; add them to --metric");
  }
  if (by.empty() || request.by_consensus) return;
  request.by = &find_metric(by);
  if (std::ranges::find(request.metrics, request.by) == request.metrics.end())
    request.metrics.push_back(request.by);
}

bool centers(const RankRequest& request, TargetKind kind) {
  return request.center.value_or(kind != TargetKind::classes);
}

RankResult rank_hub(ThreadPool& pool, const RankRequest& request,
                    const ProgressCallback& progress) {
  return HubRanker(pool, request, progress).run();
}

}  // namespace assay
