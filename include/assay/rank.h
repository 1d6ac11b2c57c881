#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/features.h"
#include "assay/hub.h"
#include "assay/metric.h"
#include "assay/progress.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "assay/work_share.h"

namespace assay {

// How likely a model makes classes that were held out: the mean log likelihood of each sample's
// class given the others, in nats; and what every unit contributes to it, as below.
struct HeldOutLikelihood {
  double value = 0.0;
  std::vector<double> contributions = {};
  std::vector<double> draws = {};  // with `subsample`
};

// A metric's score on all samples, and what is known of its error.
struct MetricScore {
  const Metric* metric = nullptr;
  Score score = {};
  // In closed form: what the score owes to every unit it was computed from (a row, or a group of
  // rows), about the mean of its class where classes are given, so that the sum of squares is the
  // jackknife's variance; and to some pairs and triples of rows acting together, see
  // joint_spread.h.
  std::vector<double> contributions = {};
  std::vector<double> pair_contributions = {};
  std::vector<double> triple_contributions = {};
  // By refitting: the score without each fold. For classes a replicate is the full-data score of no
  // features plus the gain without the fold: class counts are taken as given.
  std::vector<double> replicates = {};
  std::vector<double> pair_replicates = {};  // without folds 2k and 2k + 1; only when n < 4 D
  double seconds = 0.0;
  std::vector<std::vector<double>> fold_variants = {};  // of a hub metric, per fold
  std::vector<double> draws =
      {};  // with `subsample`: the value of each draw; the score is their mean
  std::vector<std::vector<double>> draw_variants = {};
  std::optional<HeldOutLikelihood> held_out =
      {};  // of few labels per class, where the metric knows
  std::optional<FixedPointCurves> fixed_points = {};  // of logme, when asked for
};

// The place of a model by a metric or by the consensus, and how sure we are of it.
struct Place {
  Index candidate = 0;  // index into what was ranked
  Index rank = 0;       // 1 = best
  // Marginal: the rank by this metric lies here with the confidence level. Empty without intervals.
  std::optional<Index> rank_low = {};
  std::optional<Index> rank_high = {};
  Index tie_group = 0;  // 1 = not separable from the winner, 2 from the best of the rest, ...; 0 =
                        // without intervals nobody knows
  std::vector<Index> separable_from = {};  // candidates, ascending; joint: none is wrong, with the
                                           // confidence level; their ranges do not overlap
  // In the winner's tie group: how many times as many labels would separate the two, if the
  // difference holds. Empty where no number would, or none was worked out.
  std::optional<double> times_the_labels = {};
};

// How one model compares with another.
struct Comparison {
  double difference = 0.0;      // of their scores, or mean ranks
  double standard_error = 0.0;  // of the difference, over the same units
  bool separated = false;
};

struct Ranking {
  std::vector<Place> places;              // best first; equal scores by name
  std::vector<Comparison> versus_winner;  // winner minus candidate; empty without intervals
  double level = 0.0;                     // 0 = no intervals
  Index units = 0;                        // rows, groups or folds that intervals rest on
};

// How intervals are found where there is a choice: from what every row adds, or by scoring again
// without each of 20 folds.
enum class Jackknife { closed_form, refit };

// How one setting of a hub metric with parts did over the models (PACTran, appendix B.5).
struct SettingStudy {
  std::string_view name;
  std::vector<double> values = {};       // of the models; of draws their means
  std::optional<double> balance = {};    // spread of the second part over that of the first
  std::optional<double> agreement = {};  // Kendall's tau with the metric that judges
};

struct RankRequest {
  std::vector<std::filesystem::path> inputs;  // hubs and feature files
  std::filesystem::path labels;               // empty: labels inside the first feature file
  bool soft_labels = false;                   // labels are rows of probabilities of the classes
  bool source_weights = false;  // source scores are non-negative weights, not probabilities
  PactranSettings pactran = {};
  Hub hub = {};                        // beside the files, or in place of them
  std::filesystem::path groups;        // empty, or one group id per sample: folds keep groups whole
  std::vector<const Metric*> metrics;  // at least one
  const Metric* by = nullptr;          // the one that orders; null = the first
  bool by_consensus = false;           // order by the mean rank over the default metrics instead
  double level = 0.95;                 // of intervals; 0 = none
  Jackknife jackknife = Jackknife::closed_form;
  Index folds = 20;  // of metrics that have no closed form, and of Jackknife::refit
  // Centre features and targets, i.e. fit an intercept. Empty: for numbers and several labels per
  // sample, not for classes. Without one, LogME of numbers far from zero measures how well features
  // imitate a constant.
  std::optional<bool> center;
  bool controls = false;      // also score pure noise, and the best model with permuted labels
  bool refit = false;         // intervals also where they need costly refits
  bool fixed_points = false;  // also LogME's fixed point of each column, to be drawn
  std::optional<Subsample> subsample = {};  // score several small draws instead of all rows
  // Rows of the test set that a predicted accuracy will be compared with: its interval then holds
  // the noise of measuring there too. 0: the accuracy on endless test rows.
  Index test_rows = 0;
  // knn looks up the neighbours of every row up to so many; beyond, of a share of them, so that the
  // work stays the same, and gives the standard error that brings.
  Index knn_exact_rows = kKnnExactRows;
  std::uint64_t seed = 0;
  Index memory_limit = 0;
  WorkShare* share = nullptr;  // who scores which models; null: this process scores all
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
  Ranking ranking;                // of `models`, by `by`
  std::vector<double> consensus;  // mean rank by these; empty with fewer than two
  std::vector<const Metric*>
      consensus_metrics;  // the default ones, less those with unbalanced parts
  // Samples per class where they are few: fewer than five. The consensus then compares held-out log
  // likelihoods where it can, because accuracies count too few cases.
  std::optional<double> labels_per_class;
  bool by_held_out = false;
  // With `subsample`, the mean ranks within each draw: draws x models; empty with `consensus`.
  std::vector<std::vector<double>> draw_consensus;
  std::map<const Metric*, double> balance;        // of metrics with parts, where it can be told
  std::map<const Metric*, std::size_t> settings;  // chosen for hub metrics
  std::map<const Metric*, std::vector<SettingStudy>> setting_studies;  // of those with parts
  Index draws = 0;      // of --subsample; 0 = all rows
  Index draw_rows = 0;  // rows of one draw
  Index folds = 0;      // 0 = no intervals
  TargetKind target_kind = TargetKind::classes;
  bool centered = false;  // features and targets
  Index columns = 0;
  std::optional<double> largest_class;  // of classes: the share that always naming it gets right
  // LogME of a feature that is 1 everywhere, where nothing is centred.
  std::optional<double> logme_of_constant;
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

// Adds the metric `accuracy` in front of the others; what orders the models stays as it is.
void show_accuracy_first(RankRequest& request);

// Whether the request centres features and targets of this kind.
bool centers(const RankRequest& request, TargetKind kind);

// load -> validate -> score -> rank. A model that cannot be read is reported in
// `failed` and the rest are ranked; throws Error when nothing is left, or when the
// labels themselves are at fault.
RankResult rank_hub(ThreadPool& pool, const RankRequest& request, const ProgressCallback& progress);

// Interval of a score: value +- t * standard error. Empty where nothing is known of its error.
struct Interval {
  double low = 0.0;
  double high = 0.0;
};
std::optional<Interval> score_interval(const MetricScore& score, double level);

}  // namespace assay
