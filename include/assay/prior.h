#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/hub.h"
#include "assay/progress.h"
#include "assay/thread_pool.h"
#include "assay/work_share.h"

namespace assay {

// How alike two samples are (Task Priors, section 3.2); the same for a prior and for a model.
enum class KernelKind {
  cosine,      // of the angle between two rows
  linear,      // inner product
  rbf,         // exp(-d^2 / (2 h^2)), d the distance and h the median distance of the rows
  projection,  // the projector onto the column space of the centred features (Theorem 3.3)
  ridge,       // the same with a penalty: Z (Z'Z + l I)^-1 Z', what a ridge probe predicts with
};

enum class Normalisation { none, frobenius, trace };

// The penalty l of a ridge regression on a model's centred vectors Z.
struct RidgePenalty {
  enum class Rule {
    mean,   // the mean eigenvalue Tr(Z'Z) / r, r the numerical rank
    loo,    // the one with the least leave-one-out error over the tasks of the prior
    value,  // the number below
  };
  Rule rule = Rule::mean;
  double value = 0.0;

  double known(double mean) const { return rule == Rule::value ? value : mean; }
};

struct KernelOptions {
  KernelKind kind = KernelKind::cosine;
  bool center = true;  // cosine, linear and rbf: H K H, H = I - 1 1' / n
  Normalisation normalize = Normalisation::none;
  RidgePenalty penalty;
  bool unit_length = true;     // ridge: rows are brought to unit length first, as cosine does
  bool center_matrix = false;  // kernel matrices from files: else they are taken as they are
  std::uint64_t seed = 0;      // of the pairs behind the median distance when there are many rows
};

// Which graphs the prior ranges over.
enum class Graph {
  directed,    // every ordered pair and the diagonal on its own: the paper's Theorem 3.6
  undirected,  // G symmetric: a pair counts twice in Tr(GK) and Tr(MG)
};

// Of Tr(MG) when G follows the prior; raw, as in the paper.
struct TaskMoments {
  double expectation = 0.0;
  double variance = 0.0;
  // Standard errors; 0 unless pairs were sampled.
  double expectation_error = 0.0;
  double variance_error = 0.0;
};

// How much of a task a linear probe on a model explains of rows it has not seen (leave-one-out),
// over the tasks that a prior finds likely.
struct ProbeR2 {
  double value = 0.0;               // share of variance for tasks with covariance K, in [0, 1]
  std::optional<double> sd;         // over sampled tasks
  std::optional<double> task_mean;  // mean over these tasks
  double penalty = 0.0;
  bool clipped = false;  // the probe did worse than the mean: the value was below 0
};

// Label-free numbers of a model that people compare with these, whatever the prior. None where
// they do not exist: a kernel matrix has no features, few dimensions no power law.
struct LabelFree {
  std::optional<double> rankme;     // effective rank of the singular values, high
  std::optional<double> alpha_req;  // decay of the spectrum, near 1
  std::optional<double> lidar;      // of samples against their views, high
};

struct SampleOptions {
  Index classes = 2;
  Index tasks = 1;
  double temperature = 1.0;
  std::uint64_t seed = 0;
  // Exact Gibbs sweeps after the prefix sampler. 0 is the paper's Algorithm 1, which counts each
  // pair once where Tr(Y'KY) counts it twice and so samples near temperature 2 T; with sweeps the
  // start counts it twice, too.
  int gibbs_sweeps = 0;
};

// How much sampled tasks differ, over all pairs of those compared.
struct TaskDiversity {
  // Mean adjusted Rand index: near 1, every task is the same one. None for a single task.
  std::optional<double> mean_ari;
  // (sum of eigenvalues)^2 / sum of their squares, of the matrix of how the centred graphs of the
  // tasks align: the number of unrelated tasks that would be as varied.
  std::optional<double> effective_tasks;
  Index compared = 0;
  double largest_class = 0.0;   // share of the samples, mean over all tasks
  double smallest_class = 0.0;  // the same; a class may be empty
  Index with_empty_class = 0;   // tasks
};

enum class TaskProbe {
  ridge,     // in closed form, one decomposition of the features for all tasks
  logistic,  // multinomial logistic regression, a fit per task
};

struct ProbeTasksOptions {
  TaskProbe probe = TaskProbe::ridge;
  double test_share = 0.25;
  std::uint64_t seed = 0;  // of the rows tested: the same for every task and model
};

// One prior as the user names it: its parts multiply. A part is a feature file, `labels:FILE`
// (samples of one class belong together), `views:V` (each V rows in a row do) or `kernel:FILE` (an
// n x n kernel matrix).
using PriorParts = std::vector<std::string>;

// The same from memory: one of features or a kernel matrix, a class per row, and a number of views.
struct GivenPriorPart {
  std::string name;
  Rows rows = nullptr;
  bool is_kernel = false;  // the rows are those of a kernel matrix
  std::vector<Label> grouping = {};
  Index views = 0;
};

struct PriorScoreRequest {
  std::vector<std::filesystem::path> inputs;  // models
  std::vector<PriorParts> priors;
  Hub hub = {};  // models in memory, in place of files; the one labelling as its targets
  std::vector<std::vector<GivenPriorPart>> given_priors = {};  // beside `priors`
  bool each = false;                               // every model is a prior once, after `priors`
  std::vector<double> temperatures;                // empty: median_temperature of each prior
  KernelOptions kernel;                            // of the priors
  std::optional<KernelOptions> model_kernel = {};  // nothing: that of the priors
  bool probe_r2 = true;
  RidgePenalty penalty;    // of probe_r2
  Index r2_tasks = 200;    // sampled for its spread; 0: none
  bool label_free = true;  // also RankMe, alpha-ReQ and, with views, LiDAR
  Index views = 0;         // rows that are views of one sample, for LiDAR; 0: as a views prior says
  Graph graph = Graph::directed;
  Index pairs = 0;               // 0: all of them
  std::filesystem::path labels;  // one labelling to place the models by, or empty
  std::uint64_t seed = 0;
  Index memory_limit = 0;
  WorkShare* share = nullptr;  // who scores which models; null: this process scores all
};

struct PriorScore {
  std::string prior;
  std::string name;
  double temperature = 0.0;
  TaskMoments moments;
  Index n = 0;
  Index dim = 0;
  std::optional<ProbeR2> probe_r2 = {};
  bool own = false;  // the model is (a part of) the prior
  LabelFree label_free = {};

  double expectation_per_pair() const;  // E / n^2
  double sd_per_pair() const;           // sqrt(Var) / n^2
};

// How one labelling fits a model (Theorem 3.3).
struct LabelAlignment {
  std::string name;
  double trace = 0.0;      // Tr(MG)
  double probe_mse = 0.0;  // of the best affine map of the features onto the one-hot labels
};

struct PriorScoreResult {
  std::vector<PriorScore> scores;  // prior after prior, model after model, by temperature
  std::vector<LabelAlignment> alignments;
  std::vector<FailedModel> failed;
  std::vector<FileDigest> inputs;
};

// Task Priors, Theorem 3.6, for every model, prior and temperature. Models that cannot be read or
// do not fit are left out with a reason. Throws Error when a prior is bad or nothing is left.
PriorScoreResult score_prior(ThreadPool& pool, const PriorScoreRequest& request,
                             const ProgressCallback& progress);

struct SampleTasksRequest {
  PriorParts prior;                              // parts multiply
  std::vector<GivenPriorPart> given_prior = {};  // from memory, in their place
  KernelOptions kernel;
  SampleOptions options;   // temperature <= 0: as `diversity` says
  double diversity = 0.2;  // mean adjusted Rand index between tasks that sets the temperature
  Index pictured = 4;      // tasks in the picture
  Index memory_limit = 0;
};

// A few tasks at another temperature, for the eye.
struct TasksElsewhere {
  double temperature = 0.0;
  std::vector<Label> labels;  // task after task
};

// Samples in the plane of their two principal components, for drawing tasks (the paper's Figure 6).
struct TaskPicture {
  std::vector<Index> rows;  // the samples drawn: all, or evenly spaced ones
  Vector x, y;
};

struct SampledTasks {
  std::vector<Label> labels;  // task after task
  Index count = 0;            // samples
  double temperature = 0.0;
  Vector alignment;  // Tr(KG) / n^2 of each task
  Vector largest;    // share of each task's largest class
  TaskDiversity diversity;
  bool chosen = false;  // the temperature was, to meet the diversity asked for
  TaskPicture picture;
  std::vector<TasksElsewhere> elsewhere;  // at a quarter of the temperature, and at four times
  std::vector<FileDigest> inputs;
};

SampledTasks sample_prior(ThreadPool& pool, const SampleTasksRequest& request,
                          const ProgressCallback& progress);

struct ProbeTasksRequest {
  std::vector<std::filesystem::path> inputs;  // models
  Hub hub = {};                               // in memory, in place of files
  std::filesystem::path tasks;                // integers (tasks, n), 0 ... classes - 1
  std::vector<Label> given_tasks = {};        // in memory: task after task
  ProbeTasksOptions options;
  std::vector<PriorParts> priors;  // at most one: to compare with the closed form
  std::vector<std::vector<GivenPriorPart>> given_priors = {};
  std::vector<double> temperatures;
  KernelOptions kernel;
  std::optional<KernelOptions> model_kernel = {};
  RidgePenalty penalty;
  Graph graph = Graph::directed;
  Index memory_limit = 0;
  WorkShare* share = nullptr;  // who probes which models; null: this process probes all
};

struct ProbedModel {
  std::string name;
  Index dim = 0;
  double penalty = 0.0;  // ridge
  Vector accuracy;       // per task
  // What the accuracies' variance owes to which rows were tested: the variance that would be left
  // if the model did equally well on every task (residual of the two-way table tasks x rows).
  double test_noise = 0.0;
  std::optional<PriorScore> closed_form = {};

  double mean() const { return accuracy.mean(); }
  double variance() const;  // over tasks, as measured
  // Of the tasks themselves: without the test noise. Unbiased, so it can be below zero.
  double task_variance() const { return variance() - test_noise; }
  std::vector<Index> worst_tasks() const;  // the worst twentieth, at least one, worst first
  double worst() const;                    // mean of these
};

struct CorrelationInterval {
  double low = 0.0, high = 0.0;
};

// A correlation over models; see correlate_models for its 95 % intervals.
struct ModelCorrelation {
  std::size_t models = 0;
  std::optional<double> pearson, spearman;
  std::optional<CorrelationInterval> pearson_interval, spearman_interval;
};

// One of the paper's comparisons by name.
struct NamedCorrelation {
  std::string name;  // as in the JSON
  std::string text;  // as in the table
  ModelCorrelation value;
};

struct ProbeTasksResult {
  std::vector<ProbedModel> models;
  Index tasks = 0, count = 0, classes = 0;
  double chance = 0.0;
  // Over the models but the prior's own.
  std::vector<NamedCorrelation> correlations;
  std::vector<FailedModel> failed;
  std::vector<FileDigest> inputs;
};

// Held-out probe accuracy of every model on every sampled task, and how it goes with the closed
// forms (the paper's Figures 3 and 4).
ProbeTasksResult probe_hub_tasks(ThreadPool& pool, const ProbeTasksRequest& request,
                                 const ProgressCallback& progress);

}  // namespace assay
