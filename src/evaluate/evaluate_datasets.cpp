#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "assay/evaluate.h"

namespace assay {
namespace {

std::set<GroupLabel> labels_of(const ComparedDataset& dataset) {
  std::set<GroupLabel> labels;
  for (const auto& [model, label] : dataset.groups) labels.insert(label);
  return labels;
}

// Restricting the truth is enough: evaluate() sees only models that both sides have.
Evaluation evaluate_within(const ComparedDataset& dataset, const GroupLabel& label) {
  Truth truth = dataset.truth;
  std::erase_if(truth.values, [&](const auto& measured) {
    const auto group = dataset.groups.find(measured.first);
    return group == dataset.groups.end() || group->second != label;
  });
  return evaluate(dataset.scores, truth);
}

using Members = std::map<GroupLabel, std::vector<DatasetEvaluation>>;

// Groups of data sets. Models whose own cell is blank belong to their data set's group.
Members whole_datasets(const std::vector<ComparedDataset>& datasets,
                       const std::vector<DatasetEvaluation>& evaluations) {
  Members members;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    for (const GroupLabel& label : labels_of(datasets[i])) members[label].push_back(evaluations[i]);
  }
  return members;
}

// Groups of models within data sets.
Members parts_of_datasets(const std::vector<ComparedDataset>& datasets,
                          std::vector<SkippedGroup>& skipped) {
  Members members;
  for (const ComparedDataset& dataset : datasets) {
    for (const GroupLabel& label : labels_of(dataset)) {
      DatasetEvaluation part{.name = dataset.name, .evaluation = evaluate_within(dataset, label)};
      const Index models = part.evaluation.models;
      if (models >= kSmallestGroup) {
        members[label].push_back(std::move(part));
      } else if (models > 0) {
        skipped.push_back({label.text, dataset.name, models});
      }
    }
  }
  return members;
}

// What has no label: data sets, or models where groups divide data sets.
std::vector<std::string> ungrouped(const std::vector<ComparedDataset>& datasets,
                                   const std::vector<DatasetEvaluation>& evaluations,
                                   bool divided) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const ComparedDataset& dataset = datasets[i];
    if (!divided) {
      if (dataset.groups.empty()) names.push_back(dataset.name);
      continue;
    }
    for (const auto& [model, value] : dataset.truth.values) {
      const bool scored =
          !std::ranges::binary_search(evaluations[i].evaluation.only_in_truth, model);
      if (scored && !dataset.groups.contains(model)) {
        names.push_back(fmt::format("{}/{}", dataset.name, model));
      }
    }
  }
  return names;
}

GroupEvaluation group_of(const GroupLabel& label, const std::vector<DatasetEvaluation>& members) {
  GroupEvaluation group{.value = label.text, .metrics = mean_quality(members)};
  for (const DatasetEvaluation& member : members) {
    group.datasets.push_back(member.name);
    group.models += member.evaluation.models;
  }
  return group;
}

}  // namespace

ManyEvaluation evaluate_many(const std::vector<ComparedDataset>& datasets) {
  ManyEvaluation result;
  for (const ComparedDataset& dataset : datasets) {
    result.datasets.push_back({dataset.name, evaluate(dataset.scores, dataset.truth)});
  }
  result.metrics = mean_quality(result.datasets);
  const bool labelled = std::ranges::any_of(
      datasets, [](const ComparedDataset& dataset) { return !dataset.groups.empty(); });
  if (!labelled) return result;
  const bool divided = std::ranges::any_of(
      datasets, [](const ComparedDataset& dataset) { return labels_of(dataset).size() > 1; });
  const Members members = divided ? parts_of_datasets(datasets, result.skipped)
                                  : whole_datasets(datasets, result.datasets);
  for (const auto& [label, evaluations] : members) {
    result.groups.push_back(group_of(label, evaluations));
  }
  result.ungrouped = ungrouped(datasets, result.datasets, divided);
  return result;
}

}  // namespace assay
