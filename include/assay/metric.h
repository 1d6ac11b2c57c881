#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/types.h"

namespace assay {

// Where the evidence of one target column is largest, and what that means.
enum class EvidenceCase {
  interior,       // at a finite t = alpha / beta > 0: the usual case
  uninformative,  // t -> infinity: the features say nothing about this column
  interpolates,   // t -> 0 with rank n: the features fit anything, the column included
  exact_fit,      // the column is a linear function of fewer than n features; residual floored
  skipped,        // the column does not vary
};

// The iteration of the LogME paper as a function, for one target column. With t = alpha / beta
// (Eq. 3 and 4, Figure 4):
//
//     f(t) = gamma / (n - gamma) |F m - y|^2 / m'm,   gamma = sum_i s_i / (t + s_i)
//
// m being the posterior mean of the weights at t. Where f(t) = t, the evidence is stationary.
struct FixedPointCurve {
  Index column = 0;
  EvidenceCase kind = EvidenceCase::skipped;
  double t = 0.0;         // where the evidence is largest; infinite when uninformative
  std::vector<double> f;  // at every t of the grid; NaN where it does not exist
};

struct FixedPointCurves {
  std::vector<double> t;                 // growing by a constant factor, the same for all columns
  std::vector<FixedPointCurve> columns;  // of the first active ones
};

// What PACTran's bounds leave to the user; empty: the paper's choice, as given here.
struct PactranSettings {
  std::optional<double> alpha = {};      // priors of Dirichlet and Gamma are this times p^(y); 1
  std::optional<double> beta = {};       // of the Gaussian, times N; 10
  std::optional<double> sigma0_sq = {};  // of the Gaussian, divided by D; 100
  // Of all bounds, times N. Dirichlet and Gamma: 1. The Gaussian's lambda is beta / sigma0^2, so
  // that it leaves one of the two open.
  std::optional<double> lambda = {};
};

// What a metric may see; private, since only metrics look inside.
class Problem;
class Samples;
struct Probabilities;

enum class Direction { higher_is_better, lower_is_better };

// What a metric found. `value` is the paper's own quantity with its own sign.
struct Score {
  double value = 0.0;
  // What the data did to the mathematics, one word each ("exact_fit"); explained
  // in the metric's page under docs/metrics.
  std::vector<std::string> flags;
  // Further numbers worth showing, e.g. {"gain", 0.31}.
  std::vector<std::pair<std::string, double>> details;
  // Per target column where the value is their mean, NaN for columns left out.
  std::vector<double> columns;
  // What each column would score without any features, where that makes sense. For classes it
  // depends on the class counts alone.
  std::vector<double> baselines;
  // Estimated numerical error of `value`, from products taken in float.
  double error = 0.0;
  // What each sample adds where the value is the mean of such (an accuracy), NaN for samples left
  // out: intervals then cost nothing.
  std::vector<double> per_sample;
  // With few labels per class only (metrics/held_out.h), where the metric knows: the log likelihood
  // of each sample's class given the others, in nats; NaN for samples left out.
  std::vector<double> held_out;
  // Of the value, what samples do not show: of the rule fitted to these very samples, and of an
  // extrapolation. Intervals add it.
  double extra_variance = 0.0;
  // What one test sample would add to the variance of a measured value; 0 where that makes no
  // sense.
  double test_variance = 0.0;
  // Accuracy of each class, in the order of the classes, where it was found.
  std::vector<double> per_class;
  // Values under each setting of a hub metric, in the order of its descriptor's `settings`; `value`
  // is then that of the setting chosen for the whole hub.
  std::vector<double> variants;
  // The two parts of each variant (Metric::parts), where a metric has both; else empty.
  std::vector<std::array<double, 2>> variant_parts;
};

// How a metric's intervals are found.
enum class Replication {
  moments,     // folds subtract from the moments
  per_sample,  // from what each sample adds
  refit,       // scored again without each fold: cheap enough to do always
  on_request,  // the same, but costly: with --refit only
};

// Where knn stops looking up every sample, unless told otherwise: 2 n^2 D flops take some ten
// minutes on two cores there for 2,048 dimensions.
inline constexpr Index kKnnExactRows = Index{1} << 17;

// How large a problem is, for what it takes in memory.
struct SampleSize {
  Index rows = 0;
  Index dim = 0;
  Index columns = 0;  // of targets: classes
  Index threads = 1;
};

// A metric is a row of the table in src/metrics/table.cpp: what it is called, what it needs, how to
// read it, and the one function that computes it, named after what it reads.
struct Metric {
  std::string_view name;       // "logme": the same word in C++, CLI, JSON, Python, docs
  std::string_view title;      // "LogME"
  std::string_view summary;    // one line, no final period
  std::string_view reference;  // the paper
  std::string_view unit;       // "nats/sample"
  std::string_view needs;      // "classes, multi-label or regression targets"
  Direction direction = Direction::higher_is_better;
  Replication replication = Replication::moments;
  bool classes_only = true;
  bool soft_labels = false;  // with classes_only: also probabilities of classes
  bool any_weights = false;  // source scores need not be probabilities, only non-negative
  // With classes_only: what makes it useless for numbers, beyond its being about classes.
  std::string_view not_for_numbers = {};
  // Its word on targets that are no classes is shown but has no say in the consensus.
  bool votes_on_classes_only = false;
  bool fourth_moments = false;  // of the moments it also reads the third and fourth powers
  bool relative_error = false;  // float products may cost a share of values above 1, not an amount
  // A hub metric leaves a setting open that only all models together decide: the one whose values
  // agree best (Kendall's tau) with this metric, across the hub.
  std::string_view setting_judge = {};
  std::span<const std::string_view> settings = {};
  std::size_t default_setting = 0;  // where the hub cannot decide
  // The parts that every setting's value is the sum of (Score::variant_parts), as `parts` below.
  std::array<std::string_view, 2> setting_parts = {};
  // A hub metric of the other kind: its settings are parts, each of which the hub brings to [0, 1]
  // by its least and largest value over the models; the value is their sum.
  bool sums_parts = false;
  // Two details that add up to the value and should vary alike over a hub (balance.h): where one
  // drowns the other, the metric has no say in the consensus.
  std::array<std::string_view, 2> parts = {};

  // For metrics on samples of classes that can read them block by block where they do not fit: the
  // bytes that takes. Null: such samples are drawn from, `most_rows` at a time.
  Index (*streamed_memory)(const SampleSize&) = nullptr;
  Index most_rows = Index{1} << 15;

  Score (*from_moments)(const Problem&) = nullptr;
  Score (*from_samples)(const Samples&) = nullptr;
  Score (*from_probabilities)(const Probabilities&) = nullptr;
};

// All metrics, sorted by name.
std::span<const Metric> all_metrics();

// True for the metrics that `--metric default` stands for.
bool is_default(const Metric& metric);

// Whether it counts in the consensus when it is computed: the default metrics, linear_valid and
// pactran_gauss.
bool may_vote(const Metric& metric);

// Throws Error (unknown) with a "did you mean" hint.
const Metric& find_metric(std::string_view name);

// "a,b", "all" or "default" as --metric takes it; each once, in the order given.
std::vector<const Metric*> parse_metrics(std::string_view list);

}  // namespace assay
