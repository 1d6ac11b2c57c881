#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/progress.h"
#include "assay/core/types.h"
#include "assay/data/rows.h"
#include "assay/data/subsample.h"
#include "assay/data/targets.h"
#include "assay/hub/failed_model.h"
#include "assay/hub/given_hub.h"
#include "assay/metrics/metric.h"
#include "assay/rank/ranking.h"
#include "assay/rank/score_model.h"

namespace assay {

struct RankRequest {
  std::vector<std::filesystem::path> inputs;  // hubs and feature files
  std::filesystem::path labels;               // empty: labels inside the first feature file
  GivenHub given = {};                        // beside the files, or in place of them
  std::filesystem::path groups;        // empty, or one group id per sample: folds keep groups whole
  std::vector<const Metric*> metrics;  // at least one
  const Metric* by = nullptr;          // the one that orders; null = the first
  bool by_consensus = false;           // order by the mean rank over the default metrics instead
  double level = 0.95;                 // of intervals; 0 = none
  Index folds = 20;
  // Centre features and targets, i.e. fit an intercept. Empty: for numbers and several labels per
  // sample, not for classes. Without one, LogME of numbers far from zero measures how well features
  // imitate a constant.
  std::optional<bool> center;
  bool controls = false;      // also score pure noise, and the best model with permuted labels
  bool refit = false;         // intervals also where they need costly refits
  bool fixed_points = false;  // also LogME's fixed point of each column, to be drawn
  std::optional<Subsample> subsample = {};  // score several small draws instead of all rows
  std::uint64_t seed = 0;
  Index memory_limit = 0;
};

struct ScoredModel {
  std::string name;
  Index samples = 0;
  Index dim = 0;
  std::vector<MetricScore> scores;  // in the order of RankResult::metrics
  std::vector<FileDigest> digests;
  std::optional<ModelCost> cost = {};  // of networks that were run
  bool pareto = false;                 // no other model is both faster and ranked before it
};

// A metric that was asked for and could not be had.
struct LeftOut {
  const Metric* metric = nullptr;
  std::string reason;
};

struct RankResult {
  std::vector<const Metric*> metrics;
  std::vector<LeftOut> left_out;
  const Metric* by = nullptr;       // null: the consensus
  std::vector<ScoredModel> models;  // in hub order
  std::vector<ScoredModel> controls;
  std::vector<FailedModel> failed;
  Ranking ranking;                          // of `models`, by `by`
  std::vector<double> consensus;            // mean rank by `voters`; empty with fewer than two
  std::vector<const Metric*> voters;        // the default metrics, less those with unbalanced parts
  std::map<const Metric*, double> balance;  // of metrics with parts, where it can be told
  // Chosen for hub metrics: one setting, or one for every draw.
  std::map<const Metric*, std::vector<std::size_t>> settings;
  Index draws = 0;      // of --subsample; 0 = all rows
  Index draw_rows = 0;  // rows of one draw
  Index folds = 0;      // 0 = no intervals
  TargetKind target_kind = TargetKind::classes;
  bool centered = false;  // features and targets
  Index columns = 0;
  std::vector<std::string> column_names;  // of the targets: class ids, or columns
  // Kendall's tau between the orders by two metrics, each turned so that higher is better; in the
  // order of `metrics`, empty when there are fewer than two of them or fewer than three models.
  std::vector<std::vector<std::optional<double>>> agreement;
  std::vector<std::string> notes;  // what the user should know, one sentence each
  std::vector<FileDigest> inputs;  // labels and groups
};

// Sets what to score and what to order by: `list` as parse_metrics takes it; `by` a metric,
// "consensus", or empty for the consensus of `default` and `all` and else for the first metric
// named.
void choose_metrics(RankRequest& request, std::string_view list, std::string_view by);

// Whether the request centres features and targets of this kind.
bool centers(const RankRequest& request, TargetKind kind);

// load -> validate -> score -> rank. A model that cannot be read is reported in
// `failed` and the rest are ranked; throws Error when nothing is left, or when the
// labels themselves are at fault.
RankResult rank_hub(ThreadPool& pool, const RankRequest& request, const ProgressCallback& progress);

// Interval of a score: value +- t * jackknife standard error. Empty without replicates.
struct Interval {
  double low = 0.0;
  double high = 0.0;
};
std::optional<Interval> score_interval(const MetricScore& score, double level);

}  // namespace assay
