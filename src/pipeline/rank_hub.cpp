#include "assay/pipeline/rank_hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>

#include "assay/core/error.h"
#include "assay/core/random.h"
#include "assay/core/text.h"
#include "assay/data/folds.h"
#include "assay/data/load_targets.h"
#include "assay/data/open_features.h"
#include "assay/hub/catalogue.h"
#include "assay/io/digest.h"
#include "assay/pipeline/make_problem.h"
#include "assay/rank/consensus.h"
#include "assay/rank/jackknife.h"
#include "read_samples.h"
#include "settle.h"

namespace assay {
namespace {

Rows open_model(const ModelFiles& model) {
  std::vector<Rows> shards;
  for (const std::filesystem::path& file : model.features) shards.push_back(open_features(file));
  return rows_of_shards(std::move(shards));
}

Targets read_labels(const RankRequest& request, const Catalogue& catalogue) {
  if (!request.labels.empty()) return load_targets(request.labels);
  const ModelFiles& first = catalogue.models.front();
  std::optional<Targets> inside =
      first.features.size() == 1 ? embedded_labels(first.features.front()) : std::nullopt;
  if (!inside) {
    fail_input(fmt::format("no labels: name them with --labels FILE ({} holds none)",
                           first.features.front().string()));
  }
  return std::move(*inside);
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
  if (request.groups.empty()) return stratified_folds(targets, request.folds, request.seed);
  const Targets groups = load_targets(request.groups);
  if (groups.kind != TargetKind::classes || groups.rows() != targets.rows()) {
    fail_input(
        fmt::format("{}: expected {} group ids (integers or text), one per sample, got {} {}",
                    groups.where, targets.rows(), groups.rows(),
                    groups.kind == TargetKind::classes ? "ids" : "numbers that are not ids"));
  }
  return grouped_folds(groups.labels, request.folds, request.seed);
}

// One model's features and, where they are known, its source probabilities.
struct OpenModel {
  std::string name;
  Rows rows;
  std::optional<Matrix> probabilities;
};

OpenModel open_with_probabilities(const ModelFiles& files, bool wanted) {
  OpenModel model{files.name, open_model(files), {}};
  if (!wanted) return model;
  std::optional<Rows> source;
  if (!files.probabilities.empty()) source = open_features(files.probabilities);
  if (!source && files.features.size() == 1)
    source = embedded_probabilities(files.features.front());
  if (!source) return model;
  if ((*source)->rows() != model.rows->rows()) {
    fail_input(fmt::format("{}: {} rows of probabilities, but {} has {} rows of features",
                           (*source)->where(), (*source)->rows(), model.rows->where(),
                           model.rows->rows()));
  }
  model.probabilities = read_probabilities(**source);
  return model;
}

// The metrics in use, shrinking as models turn out not to have what they need.
class MetricsInUse {
 public:
  MetricsInUse(const RankRequest& request, const Targets& targets) : targets_(targets) {
    for (const Metric* metric : request.metrics) add(metric);
    for (const Metric* metric : request.metrics) {
      if (metric->settled_by.empty()) continue;
      const Metric* judge = &find_metric(metric->settled_by);
      if (std::find(all_.begin(), all_.end(), judge) == all_.end()) {
        add(judge);
        hidden_.insert(judge);
      }
    }
    drop([&](const Metric& m) { return reason_left_out(m, targets_, /*probabilities=*/true); });
  }

  const std::vector<const Metric*>& all() const { return all_; }
  const std::vector<LeftOut>& left_out() const { return left_out_; }

  bool wants_probabilities() const {
    return std::any_of(all_.begin(), all_.end(),
                       [](const Metric* m) { return m->from_probabilities != nullptr; });
  }

  // Leaves out what this model cannot be scored by. Throws when nothing remains.
  void fit(const OpenModel& model, const RankRequest& request) {
    drop([&](const Metric& m) {
      const std::string reason = reason_left_out(m, targets_, model.probabilities.has_value());
      return reason.empty() ? reason : fmt::format("{}; {} has none", reason, model.name);
    });
    const Index needed = samples_memory(*model.rows);
    if (request.subsample || needed <= request.memory_limit) return;
    drop([&](const Metric& m) -> std::string {
      if (m.from_samples == nullptr) return {};
      return fmt::format(
          "it needs every sample at once, {} for {}; raise --memory-limit or draw "
          "fewer rows with --subsample",
          human_bytes(static_cast<double>(needed)), model.name);
    });
  }

  bool shown(const Metric* metric) const { return !hidden_.contains(metric); }

 private:
  void add(const Metric* metric) { all_.push_back(metric); }

  void drop(const std::function<std::string(const Metric&)>& reason_of) {
    std::vector<const Metric*> kept;
    for (const Metric* metric : all_) {
      std::string reason = reason_of(*metric);
      if (reason.empty()) {
        kept.push_back(metric);
      } else if (shown(metric)) {
        left_out_.push_back({metric, std::move(reason)});
      }
    }
    if (std::none_of(kept.begin(), kept.end(), [&](const Metric* m) { return shown(m); })) {
      std::string reasons;
      for (const LeftOut& one : left_out_)
        reasons += fmt::format("\n  {}: {}", one.metric->name, one.reason);
      fail_input(fmt::format("no metric is left to rank by:{}", reasons));
    }
    all_ = std::move(kept);
  }

  const Targets& targets_;
  std::vector<const Metric*> all_;
  std::set<const Metric*> hidden_;
  std::vector<LeftOut> left_out_;
};

ScoreOptions options_of(const RankRequest& request, const Matrix* probabilities) {
  ScoreOptions options;
  options.center = request.center;
  options.memory_limit = request.memory_limit;
  options.refit = request.refit;
  options.probabilities = probabilities;
  options.seed = request.seed;
  return options;
}

ScoredModel score_all_rows(ThreadPool& pool, const OpenModel& model, const Targets& targets,
                           const Folds& folds, const std::vector<const Metric*>& metrics,
                           const RankRequest& request, const ProgressCallback& progress) {
  const Matrix* probabilities = model.probabilities ? &*model.probabilities : nullptr;
  std::vector<MetricScore> scores = score_model(pool, *model.rows, targets, folds, metrics,
                                                options_of(request, probabilities), progress);
  return {model.name, model.rows->rows(), model.rows->cols(), std::move(scores),
          model.rows->digests()};
}

// Every draw by itself; what is shown is the first draw's, with the mean of the values.
ScoredModel score_draws(ThreadPool& pool, const OpenModel& model, const Targets& targets,
                        const std::vector<std::vector<Index>>& draws,
                        const std::vector<const Metric*>& metrics, const RankRequest& request,
                        const ProgressCallback& progress) {
  require_matching(*model.rows, targets);
  std::vector<std::vector<MetricScore>> scored(draws.size());
  std::mutex mutex;
  double done = 0.0;
  pool.run(static_cast<Index>(draws.size()), [&](Index draw) {
    const std::vector<Index>& rows = draws[static_cast<std::size_t>(draw)];
    std::optional<Matrix> probabilities;
    if (model.probabilities) probabilities = (*model.probabilities)(rows, Eigen::all);
    scored[static_cast<std::size_t>(draw)] =
        score_model(pool, *rows_of_subset(*model.rows, rows), targets_of_rows(targets, rows), {},
                    metrics, options_of(request, probabilities ? &*probabilities : nullptr), {});
    const std::lock_guard lock(mutex);
    if (progress) progress(++done / static_cast<double>(draws.size()), model.name);
  });
  ScoredModel out{model.name, static_cast<Index>(draws.front().size()), model.rows->cols(),
                  std::move(scored.front()), model.rows->digests()};
  for (std::size_t m = 0; m < out.scores.size(); ++m) {
    MetricScore& score = out.scores[m];
    score.draws.push_back(score.score.value);
    score.draw_variants.push_back(score.score.variants);
    for (std::size_t draw = 1; draw < scored.size(); ++draw) {
      score.draws.push_back(scored[draw][m].score.value);
      score.draw_variants.push_back(scored[draw][m].score.variants);
      score.seconds += scored[draw][m].seconds;
    }
  }
  return out;
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

std::size_t position_of(const RankResult& result, const Metric* metric) {
  return static_cast<std::size_t>(std::find(result.metrics.begin(), result.metrics.end(), metric) -
                                  result.metrics.begin());
}

std::vector<Candidate> candidates_of(const RankResult& result, const Metric* metric) {
  const std::size_t chosen = position_of(result, metric);
  const double sign = metric->direction == Direction::higher_is_better ? 1.0 : -1.0;
  std::vector<Candidate> candidates;
  for (const ScoredModel& model : result.models) {
    const MetricScore& score = model.scores[chosen];
    Candidate candidate{model.name, sign * score.score.value, score.replicates,
                        score.pair_replicates};
    for (double& replicate : candidate.replicates) replicate *= sign;
    for (double& replicate : candidate.pair_replicates) replicate *= sign;
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

void settle_draw(RankResult& result, const Metric* metric, std::size_t mine, std::size_t other,
                 Index draw) {
  const auto k = static_cast<std::size_t>(draw);
  std::vector<Score> values(result.models.size());
  std::vector<const Score*> scores;
  std::vector<double> judged;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i].variants = result.models[i].scores[mine].draw_variants[k];
    scores.push_back(&values[i]);
    judged.push_back(result.models[i].scores[other].draws[k]);
  }
  const std::size_t setting =
      best_setting(*metric, scores, find_metric(metric->settled_by), judged);
  for (ScoredModel& model : result.models)
    model.scores[mine].draws[k] = model.scores[mine].draw_variants[k][setting];
}

// Settings of hub metrics: one for all rows, one for every draw.
void settle(RankResult& result) {
  for (const Metric* metric : result.metrics) {
    if (metric->settled_by.empty()) continue;
    const Metric& judge = find_metric(metric->settled_by);
    const std::size_t mine = position_of(result, metric);
    const std::size_t other = position_of(result, &judge);
    std::vector<const Score*> scores;
    std::vector<double> judged;
    for (const ScoredModel& model : result.models) {
      scores.push_back(&model.scores[mine].score);
      judged.push_back(model.scores[other].score.value);
    }
    const std::size_t setting = best_setting(*metric, scores, judge, judged);
    result.settings[metric] = setting;
    for (ScoredModel& model : result.models) apply_setting(model.scores[mine], setting);
    for (ScoredModel& control : result.controls) apply_setting(control.scores[mine], setting);
    for (Index draw = 0; draw < result.draws; ++draw)
      settle_draw(result, metric, mine, other, draw);
  }
}

void take_means_of_draws(ScoredModel& model) {
  for (MetricScore& score : model.scores) {
    const auto count = static_cast<double>(score.draws.size());
    const double mean = std::accumulate(score.draws.begin(), score.draws.end(), 0.0) / count;
    double squares = 0.0;
    for (const double value : score.draws) squares += (value - mean) * (value - mean);
    score.score.value = mean;
    score.score.details = {{"draws", count}};
    if (count > 1.0) score.score.details.emplace_back("sd", std::sqrt(squares / (count - 1.0)));
  }
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

void add_notes(const RankRequest& request, const Targets& targets, const Catalogue& catalogue,
               RankResult& result) {
  if (request.level > 0.0 && result.folds < 5) {
    result.notes.push_back(fmt::format(
        "only {} fold(s) could be made; intervals mean little with so few samples or groups",
        result.folds));
  }
  if (!catalogue.networks.empty()) {
    result.notes.push_back(
        fmt::format("{} network file(s) left out, e.g. {}: only saved features can be ranked",
                    catalogue.networks.size(), catalogue.networks.front().filename().string()));
  }
  if (targets.kind != TargetKind::classes) return;
  std::vector<Index> counts(targets.names.size(), 0);
  for (const Label label : targets.labels) ++counts[static_cast<std::size_t>(label)];
  const auto rare =
      std::count_if(counts.begin(), counts.end(), [](Index count) { return count < 3; });
  if (rare > 0) {
    result.notes.push_back(
        fmt::format("{} of {} classes have fewer than 3 samples; their share of the score is "
                    "mostly chance",
                    rare, counts.size()));
  }
}

// Orders the models and says where the metrics disagree.
void rank_models(const RankRequest& request, RankResult& result) {
  Columns columns;
  for (const Metric* metric : result.metrics) {
    if (is_default(*metric)) columns.push_back(candidates_of(result, metric));
  }
  if (columns.size() > 1) result.consensus = mean_ranks(columns);
  const bool consensus = request.by_consensus && columns.size() > 1;
  const bool available =
      std::find(result.metrics.begin(), result.metrics.end(), request.by) != result.metrics.end();
  result.by = consensus ? nullptr : available ? request.by : result.metrics.front();
  result.ranking = consensus ? rank_by_consensus(columns, request.level)
                             : rank_candidates(candidates_of(result, result.by), request.level);
}

void add_disagreements(RankResult& result) {
  if (result.consensus.empty() || result.models.size() < 2) return;
  const std::string& winner =
      result.models[static_cast<std::size_t>(result.ranking.places.front().candidate)].name;
  std::string others;
  for (const Metric* metric : result.metrics) {
    if (!is_default(*metric)) continue;
    const std::vector<Candidate> candidates = candidates_of(result, metric);
    const auto best =
        std::max_element(candidates.begin(), candidates.end(),
                         [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
    if (best->name == winner) continue;
    others +=
        fmt::format("{}{} puts {} first", others.empty() ? "" : ", ", metric->name, best->name);
  }
  if (!others.empty())
    result.notes.push_back(
        fmt::format("the metrics disagree on the winner, {}: {}", winner, others));
}

class HubRanker {
 public:
  HubRanker(ThreadPool& pool, const RankRequest& request, const ProgressCallback& progress)
      : pool_(pool),
        request_(request),
        progress_(progress),
        catalogue_(find_models(request.inputs, request.labels)),
        targets_(read_labels(request, catalogue_)),
        metrics_(checked(request, targets_), targets_),
        folds_(request.subsample ? Folds{} : make_folds(request, targets_)) {
    if (request.subsample) draws_ = draw_rows(*request.subsample, targets_, request.seed);
  }

  RankResult run() {
    result_.folds = folds_.count;
    result_.target_kind = targets_.kind;
    result_.columns = targets_.columns();
    result_.draws = static_cast<Index>(draws_.size());
    result_.draw_rows = draws_.empty() ? 0 : static_cast<Index>(draws_.front().size());
    for (const ModelFiles& files : catalogue_.models) score_files(files);
    if (result_.models.empty()) {
      std::string reasons;
      for (const FailedModel& failed : result_.failed)
        reasons += fmt::format("\n  {}", failed.error);
      fail_input(fmt::format("nothing left to rank:{}", reasons));
    }
    result_.metrics = metrics_.all();
    result_.left_out = metrics_.left_out();
    keep_common_metrics();
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

  void score_files(const ModelFiles& files) {
    const auto finished = static_cast<double>(result_.models.size() + result_.failed.size());
    const auto total = static_cast<double>(catalogue_.models.size());
    const ProgressCallback within = [&](double done, const std::string&) {
      if (progress_) progress_((finished + done) / total, files.name);
    };
    OpenModel model;
    try {
      model = open_with_probabilities(files, metrics_.wants_probabilities());
    } catch (const Error& error) {
      result_.failed.push_back({files.name, error.what()});
      return;
    }
    metrics_.fit(model, request_);
    try {
      result_.models.push_back(score(model, targets_, within));
    } catch (const Error& error) {
      result_.failed.push_back({files.name, error.what()});
    }
  }

  ScoredModel score(const OpenModel& model, const Targets& targets,
                    const ProgressCallback& progress) const {
    return draws_.empty()
               ? score_all_rows(pool_, model, targets, folds_, metrics_.all(), request_, progress)
               : score_draws(pool_, model, targets, draws_, metrics_.all(), request_, progress);
  }

  // A metric that a later model could not be scored by is dropped for the earlier ones as well.
  void keep_common_metrics() {
    for (ScoredModel& model : result_.models) {
      std::erase_if(model.scores, [&](const MetricScore& score) {
        return std::find(result_.metrics.begin(), result_.metrics.end(), score.metric) ==
               result_.metrics.end();
      });
    }
  }

  void finish() {
    settle(result_);
    if (result_.draws > 0) {
      for (ScoredModel& model : result_.models) take_means_of_draws(model);
      for (ScoredModel& control : result_.controls) take_means_of_draws(control);
    }
    hide(result_, metrics_);
    rank_models(request_, result_);
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
    OpenModel model = open_with_probabilities(*files, metrics_.wants_probabilities());
    model.name = fmt::format("{}, labels permuted", winner);
    add_control(model, permuted(targets_, request_.seed));
    ScoredModel& control = result_.controls.back();
    for (const auto& [metric, setting] : result_.settings) {
      for (MetricScore& score : control.scores) {
        if (score.metric == metric) apply_setting(score, setting);
      }
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

RankResult rank_hub(ThreadPool& pool, const RankRequest& request,
                    const ProgressCallback& progress) {
  return HubRanker(pool, request, progress).run();
}

}  // namespace assay
