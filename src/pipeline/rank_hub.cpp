#include "assay/pipeline/rank_hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assay/core/error.h"
#include "assay/core/random.h"
#include "assay/core/text.h"
#include "assay/data/folds.h"
#include "assay/data/load_targets.h"
#include "assay/data/open_features.h"
#include "assay/hub/catalogue.h"
#include "assay/io/digest.h"
#include "assay/rank/jackknife.h"

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

ScoredModel score_rows(ThreadPool& pool, const std::string& name, const Rows& rows,
                       const Targets& targets, const Folds& folds, const RankRequest& request,
                       const ProgressCallback& progress) {
  const ScoreOptions options{request.center, request.memory_limit};
  std::vector<MetricScore> scores =
      score_model(pool, *rows, targets, folds, request.metrics, options, progress);
  return {name, rows->rows(), rows->cols(), std::move(scores), rows->digests()};
}

// Noise that no metric should like: what a model is worth must be read against it.
Rows noise_control(Index samples, Index dim, std::uint64_t seed) {
  Random random(seed + 1);
  Matrix noise(samples, dim);
  for (double& value : noise.reshaped()) value = random.normal();
  return rows_of_matrix(noise, "noise control");
}

void add_noise_control(ThreadPool& pool, const Targets& targets, const Folds& folds,
                       const RankRequest& request, RankResult& result) {
  Index dim = 0;
  for (const ScoredModel& model : result.models) dim = std::max(dim, model.dim);
  if (Index{16} * dim * targets.rows() > request.memory_limit / 2) {
    result.notes.emplace_back("the noise control was left out: it would not fit --memory-limit");
    return;
  }
  const Rows noise = noise_control(targets.rows(), dim, request.seed);
  result.controls.push_back(score_rows(pool, "noise", noise, targets, folds, request, {}));
}

std::vector<Candidate> candidates_of(const RankResult& result) {
  const auto chosen = static_cast<std::size_t>(
      std::find(result.metrics.begin(), result.metrics.end(), result.by) - result.metrics.begin());
  const double sign = result.by->direction == Direction::higher_is_better ? 1.0 : -1.0;
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
  const Catalogue catalogue = find_models(request.inputs, request.labels);
  const Targets targets = read_labels(request, catalogue);
  check_labels(targets);
  const Folds folds = make_folds(request, targets);

  RankResult result;
  result.metrics = request.metrics;
  result.by = request.by != nullptr ? request.by : request.metrics.front();
  result.folds = folds.count;
  result.target_kind = targets.kind;
  result.columns = targets.columns();
  const auto total = static_cast<double>(catalogue.models.size());
  for (const ModelFiles& model : catalogue.models) {
    const auto finished = static_cast<double>(result.models.size() + result.failed.size());
    const ProgressCallback within = [&](double done, const std::string&) {
      if (progress) progress((finished + done) / total, model.name);
    };
    try {
      result.models.push_back(
          score_rows(pool, model.name, open_model(model), targets, folds, request, within));
    } catch (const Error& error) {
      result.failed.push_back({model.name, error.what()});
    }
  }
  if (result.models.empty()) {
    std::string reasons;
    for (const FailedModel& failed : result.failed) reasons += fmt::format("\n  {}", failed.error);
    fail_input(fmt::format("nothing left to rank:{}", reasons));
  }
  if (request.controls) add_noise_control(pool, targets, folds, request, result);
  result.ranking = rank_candidates(candidates_of(result), request.level);
  add_notes(request, targets, catalogue, result);
  for (const std::filesystem::path& file : {request.labels, request.groups}) {
    if (!file.empty()) result.inputs.push_back({file, file_digest(file)});
  }
  return result;
}

}  // namespace assay
