#include "evaluate/comparison_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "core/text.h"
#include "evaluate/group_labels.h"

namespace assay {
namespace {

using Paths = std::vector<std::filesystem::path>;
using Names = std::vector<std::string>;

// One file's data sets.
template <typename Part>
using Parts = std::vector<Part>;

std::string stem_without(const std::filesystem::path& path,
                         std::span<const std::string_view> endings) {
  std::string stem = path.stem().string();
  for (const std::string_view ending : endings) {
    if (stem.size() > ending.size() && stem.ends_with(ending)) {
      stem.resize(stem.size() - ending.size());
      break;
    }
  }
  return stem;
}

Names dataset_names(const Paths& paths, std::span<const std::string_view> endings) {
  Names names;
  for (const auto& path : paths) names.push_back(stem_without(path, endings));
  if (std::set(names.begin(), names.end()).size() == names.size()) return names;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string folder = std::filesystem::absolute(paths[i]).parent_path().filename();
    names[i] = fmt::format("{}/{}", folder, names[i]);
  }
  return names;
}

template <typename Part>
bool is_unnamed(const Parts<Part>& parts) {
  return parts.size() == 1 && parts.front().dataset.empty();
}

template <typename Part>
Names names_of(const Parts<Part>& parts) {
  Names names;
  for (const Part& part : parts) names.push_back(part.dataset);
  return names;
}

void name_truths(std::vector<Parts<DatasetTruth>>& truths,
                 const std::vector<Parts<DatasetScores>>& scores, const Paths& paths) {
  constexpr std::string_view endings[] = {"_truth"};
  const Names stems = dataset_names(paths, endings);
  for (std::size_t i = 0; i < truths.size(); ++i) {
    if (!is_unnamed(truths[i])) continue;
    const bool named_by_scores =
        scores.size() == truths.size() && scores[i].size() == 1 && !is_unnamed(scores[i]);
    truths[i].front().dataset = named_by_scores ? scores[i].front().dataset : stems[i];
  }
}

void name_scores(std::vector<Parts<DatasetScores>>& scores,
                 const std::vector<Parts<DatasetTruth>>& truths, const Paths& paths) {
  constexpr std::string_view endings[] = {"_scores", "_rank"};
  const Names stems = dataset_names(paths, endings);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!is_unnamed(scores[i])) continue;
    if (scores.size() != truths.size()) {
      scores[i].front().dataset = stems[i];
    } else if (truths[i].size() == 1) {
      scores[i].front().dataset = truths[i].front().dataset;
    } else {
      fail_input(fmt::format(
          "{}: which data set? its truth has {}; add a column 'dataset', or give one file of "
          "scores per data set",
          paths[i].string(), fmt::join(names_of(truths[i]), ", ")));
    }
  }
}

// All files' data sets by name.
template <typename Part>
Parts<Part> flattened(std::vector<Parts<Part>> files, const Paths& paths, std::string_view option) {
  Parts<Part> all;
  std::map<std::string, std::string> first_file;
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (Part& part : files[i]) {
      const auto [first, inserted] = first_file.try_emplace(part.dataset, paths[i].string());
      if (!inserted) {
        fail_input(fmt::format("{}: data set '{}' is in {} and again in {}; keep one", option,
                               part.dataset, first->second, paths[i].string()));
      }
      all.push_back(std::move(part));
    }
  }
  return all;
}

template <typename Part, typename Other>
Names only_in_first(const Parts<Part>& first, const Parts<Other>& second) {
  Names names;
  for (const Part& part : first) {
    if (std::ranges::find(second, part.dataset, &Other::dataset) == second.end()) {
      names.push_back(part.dataset);
    }
  }
  return names;
}

Cells group_cells(const DatasetScores& scores, const DatasetTruth& truth,
                  const std::string& column) {
  if (column.empty()) return {};
  if (std::ranges::find(truth.titles, column) != truth.titles.end()) return truth.groups;
  if (!scores.groups.empty()) return scores.groups;
  throw Error(ErrorCode::unknown,
              fmt::format("`group`: no column '{}' in the truth of data set '{}'; there are {}",
                          column, truth.dataset, fmt::join(truth.titles, ", ")));
}

void check_directions(const std::vector<ComparedDataset>& datasets) {
  std::map<std::string, std::pair<bool, std::string>> seen;
  for (const ComparedDataset& dataset : datasets) {
    for (const ScoreColumn& column : dataset.scores) {
      const auto [first, inserted] =
          seen.try_emplace(column.name, column.higher_is_better, dataset.name);
      const auto& [higher, where] = first->second;
      if (inserted || higher == column.higher_is_better) continue;
      fail_input(
          fmt::format("metric '{}' is better when {} on data set '{}' and when {} on '{}'; say "
                      "`lower_is_better` {} or make the files agree",
                      column.name, higher ? "higher" : "lower", where, higher ? "lower" : "higher",
                      dataset.name, column.name));
    }
  }
}

void check_columns(const Names& lower_is_better, const std::vector<ComparedDataset>& datasets) {
  std::vector<ScoreColumn> scores;
  Truth truth{.column = datasets.front().truth.column};
  const auto add_new = [](std::vector<ScoreColumn>& known, const std::vector<ScoreColumn>& more) {
    for (const ScoreColumn& column : more) {
      if (std::ranges::find(known, column.name, &ScoreColumn::name) == known.end()) {
        known.push_back({.name = column.name});
      }
    }
  };
  for (const ComparedDataset& dataset : datasets) {
    add_new(scores, dataset.scores);
    add_new(truth.baselines, dataset.truth.baselines);
  }
  require_known_columns(lower_is_better, scores, truth);
}

void check_common_models(const std::vector<ComparedDataset>& datasets) {
  const bool any = std::ranges::any_of(datasets, [](const ComparedDataset& dataset) {
    return std::ranges::any_of(model_names(dataset.scores), [&](const std::string& name) {
      return dataset.truth.values.contains(name);
    });
  });
  if (!any) require_common_models(model_names(datasets.front().scores), datasets.front().truth);
}

std::vector<ComparedDataset> matched(const Parts<DatasetScores>& scores,
                                     const Parts<DatasetTruth>& truths,
                                     const TruthOptions& options) {
  std::vector<ComparedDataset> datasets;
  std::vector<Cells> cells;
  for (const DatasetTruth& truth : truths) {
    const auto found = std::ranges::find(scores, truth.dataset, &DatasetScores::dataset);
    if (found == scores.end()) continue;
    cells.push_back(group_cells(*found, truth, options.group_column));
    datasets.push_back({truth.dataset, found->columns, truth.truth, {}});
    add_dim_baseline(datasets.back().truth, found->dims, options.lower_is_better);
  }
  const auto labels = group_labels(options.group_column, cells, options.bands);
  for (std::size_t i = 0; i < datasets.size(); ++i) datasets[i].groups = labels[i];
  return datasets;
}

}  // namespace

ComparedFiles read_comparison(const ComparisonFiles& files) {
  const TruthOptions& options = files.options;
  std::vector<Parts<DatasetScores>> score_files;
  for (const auto& path : files.scores) {
    score_files.push_back(read_score_sets(path, {options.lower_is_better, options.group_column}));
  }
  std::vector<Parts<DatasetTruth>> truth_files;
  for (const auto& path : files.truth) truth_files.push_back(read_truth_sets(path, options));
  name_truths(truth_files, score_files, files.truth);
  name_scores(score_files, truth_files, files.scores);

  const auto scores = flattened(std::move(score_files), files.scores, "`scores`");
  const auto truths = flattened(std::move(truth_files), files.truth, "`truth`");
  ComparedFiles comparison{.datasets = matched(scores, truths, options),
                           .only_in_scores = only_in_first(scores, truths),
                           .only_in_truth = only_in_first(truths, scores)};
  if (comparison.datasets.empty()) {
    fail_input(fmt::format(
        "no data set is in both the scores and the truth: scores have {}; the truth has {}",
        fmt::join(comparison.only_in_scores, ", "), fmt::join(comparison.only_in_truth, ", ")));
  }
  check_common_models(comparison.datasets);
  check_directions(comparison.datasets);
  check_columns(options.lower_is_better, comparison.datasets);
  return comparison;
}

}  // namespace assay
