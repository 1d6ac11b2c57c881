#include "rank/rank_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "assay/features.h"
#include "data/subsample.h"

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
    fail_input(fmt::format("no labels: name them with `labels` FILE ({} holds none)",
                           first.features.front().string()));
  }
  return std::move(*inside);
}

void require_usable(const Targets& targets) {
  if (targets.rows() == 0) fail_input(fmt::format("{}: no labels in it", targets.where));
  if (targets.kind == TargetKind::classes && targets.columns() < 2) {
    fail_input(fmt::format("{}: only one class, '{}'; ranking needs at least two", targets.where,
                           targets.names[0]));
  }
}

// Centre regression targets before summing: with a large mean, sums of squares about zero lose all
// digits.
Targets rank_targets(const RankRequest& request, const Catalogue& catalogue) {
  Targets targets = read_labels(request, catalogue);
  if (request.soft_labels) targets = soft_labels_of(std::move(targets));
  require_usable(targets);
  if (centers(request, targets.kind) && targets.kind == TargetKind::regression)
    targets.values.rowwise() -= targets.values.colwise().mean().eval();
  return targets;
}

// Codes of the groups that intervals keep together; empty where there are none.
std::vector<Label> read_groups(const RankRequest& request, const Targets& targets) {
  if (request.level == 0.0 || request.subsample) return {};
  if (request.groups.empty() && !request.given.groups) return {};
  const Targets groups =
      request.given.groups ? *request.given.groups : load_targets(request.groups);
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

}  // namespace

bool centers(const RankRequest& request, TargetKind kind) {
  const bool numbers = kind == TargetKind::regression || kind == TargetKind::multi_label;
  return request.center.value_or(numbers);
}

RankPlan plan_ranking(const RankRequest& request) {
  Catalogue models = models_of(request);
  Targets targets = rank_targets(request, models);
  MetricSelection metrics(request, targets);
  std::vector<Label> groups = read_groups(request, targets);
  Folds folds = make_folds(request, targets, groups);
  DrawnRows drawn{targets.rows(), {}};
  if (request.given.drawn) {
    drawn = *request.given.drawn;
  } else if (request.subsample) {
    drawn.draws = draw_rows(*request.subsample, targets, request.seed);
  }
  return {request,           std::move(models), std::move(targets),     std::move(metrics),
          std::move(groups), std::move(folds),  std::move(drawn.draws), drawn.population};
}

}  // namespace assay
