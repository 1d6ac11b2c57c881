#include "rank/rank_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "assay/features.h"
#include "assay/logme.h"
#include "data/check_targets.h"
#include "data/subsample.h"
#include "hub/hub_or_files.h"

namespace assay {
namespace {

// What is given, then files of features; a network's own saved features are passed over.
ModelList rank_models(const RankRequest& request) {
  ModelList models = models_from(request.hub, request.inputs, request.labels);
  if (request.hub.models.empty() || request.inputs.empty()) return models;
  for (Model& saved : list_models(request.inputs, {}).models) {
    const bool known = std::any_of(models.models.begin(), models.models.end(),
                                   [&](const Model& m) { return m.name == saved.name; });
    if (!known) models.models.push_back(std::move(saved));
  }
  std::sort(models.models.begin(), models.models.end(),
            [](const Model& a, const Model& b) { return a.name < b.name; });
  return models;
}

Targets read_labels(const RankRequest& request, const ModelList& models) {
  if (request.hub.targets) return *request.hub.targets;
  if (!request.labels.empty()) return load_targets(request.labels);
  const Model& first = models.models.front();
  if (first.rows) fail_input("no labels: one label per row is expected");
  std::optional<Targets> inside =
      first.features.size() == 1 ? embedded_labels(first.features.front()) : std::nullopt;
  if (!inside) {
    fail_input(fmt::format("no labels: name them with `labels` FILE ({} holds none)",
                           first.features.front().string()));
  }
  return std::move(*inside);
}

void require_usable(const Targets& targets) {
  if (targets.rows() == 0) fail_input(fmt::format("{}: no labels in it", targets.where));
  if (targets.kind == TargetKind::classes) require_classes(targets, "ranking");
}

// Centre regression targets before summing: with a large mean, sums of squares about zero lose all
// digits.
Targets rank_targets(const RankRequest& request, const ModelList& models) {
  Targets targets = read_labels(request, models);
  if (request.soft_labels) targets = soft_labels_of(std::move(targets));
  require_usable(targets);
  if (centers(request, targets.kind) && targets.kind == TargetKind::regression)
    targets.values.rowwise() -= targets.values.colwise().mean().eval();
  return targets;
}

// Codes of the groups that intervals keep together; empty where there are none.
std::vector<Label> read_groups(const RankRequest& request, const Targets& targets) {
  if (request.level == 0.0 || request.subsample) return {};
  if (request.groups.empty() && !request.hub.groups) return {};
  const Targets groups = request.hub.groups ? *request.hub.groups : load_targets(request.groups);
  if (groups.kind != TargetKind::classes || groups.rows() != targets.rows()) {
    fail_input(
        fmt::format("{}: expected {} group ids (integers or text), one per sample, got {} {}",
                    groups.where, targets.rows(), groups.rows(),
                    groups.kind == TargetKind::classes ? "ids" : "numbers that are not ids"));
  }
  return groups.labels;
}

Folds make_folds(const RankRequest& request, const Targets& targets,
                 const std::vector<Label>& groups) {
  if (request.level == 0.0 || request.subsample) return {};
  return groups.empty() ? stratified_folds(targets, request.folds, request.seed)
                        : grouped_folds(groups, request.folds, request.seed);
}

void check_pactran(const PactranSettings& settings) {
  const auto check = [](const std::optional<double>& value, std::string_view name) {
    if (value && !(std::isfinite(*value) && *value > 0.0))
      fail_input(fmt::format("`{}`: expected a positive number, got {}", name, *value));
  };
  check(settings.alpha, "pactran_alpha");
  check(settings.beta, "pactran_beta");
  check(settings.sigma0_sq, "pactran_sigma2");
  check(settings.lambda, "pactran_lambda");
  if (settings.lambda && settings.beta && settings.sigma0_sq)
    fail_input(
        "`pactran_lambda`: the Gaussian's lambda is beta / sigma0^2; give two of `pactran_beta`, "
        "`pactran_sigma2` and `pactran_lambda`");
}

}  // namespace

bool centers(const RankRequest& request, TargetKind kind) {
  return request.center.value_or(centered_by_default(kind));
}

RankPlan plan_ranking(const RankRequest& request) {
  check_pactran(request.pactran);
  ModelList models = rank_models(request);
  Targets targets = rank_targets(request, models);
  MetricSelection metrics(request, targets);
  std::vector<Label> groups = read_groups(request, targets);
  Folds folds = make_folds(request, targets, groups);
  DrawnRows drawn{targets.rows(), {}};
  if (request.hub.drawn) {
    drawn = *request.hub.drawn;
  } else if (request.subsample) {
    drawn.draws = draw_rows(*request.subsample, targets, request.seed);
  }
  return {request,           std::move(models), std::move(targets),     std::move(metrics),
          std::move(groups), std::move(folds),  std::move(drawn.draws), drawn.population};
}

}  // namespace assay
