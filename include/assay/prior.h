#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/hub.h"
#include "assay/progress.h"
#include "assay/thread_pool.h"

namespace assay {

// How alike two samples are (Task Priors, section 3.2); the same for a prior and for a model.
enum class KernelKind {
  cosine,      // of the angle between two rows
  linear,      // inner product
  rbf,         // exp(-d^2 / (2 h^2)), d the distance and h the median distance of the rows
  projection,  // the projector onto the column space of the centred features (Theorem 3.3)
};

enum class Normalisation { none, frobenius, trace };

struct KernelOptions {
  KernelKind kind = KernelKind::cosine;
  bool center = true;  // cosine and linear: H K H, H = I - 1 1' / n
  Normalisation normalize = Normalisation::none;
  std::uint64_t seed = 0;  // of the pairs behind the median distance when there are many rows
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
// (samples of one class belong together) or `views:V` (each V rows in a row do).
using PriorParts = std::vector<std::string>;

// The same from memory: one of features, a class per row, and a number of views.
struct GivenPriorPart {
  std::string name;
  Rows rows = nullptr;
  std::vector<Label> grouping = {};
  Index views = 0;
};

struct PriorScoreRequest {
  std::vector<std::filesystem::path> inputs;  // models
  std::vector<PriorParts> priors;
  Hub hub = {};  // models in memory, in place of files; the one labelling as its targets
  std::vector<std::vector<GivenPriorPart>> given_priors = {};  // beside `priors`
  std::vector<double> temperatures;  // empty: median_temperature of each prior
  KernelOptions kernel;
  Graph graph = Graph::directed;
  Index pairs = 0;               // 0: all of them
  std::filesystem::path labels;  // one labelling to place the models by, or empty
  std::uint64_t seed = 0;
  Index memory_limit = 0;
};

struct PriorScore {
  std::string prior;
  std::string name;
  double temperature = 0.0;
  TaskMoments moments;
  Index n = 0;
  Index dim = 0;

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
  std::filesystem::path features;
  Rows rows = nullptr;       // in memory, in place of the file
  bool from_kernel = false;  // the file holds an n x n kernel matrix
  KernelOptions kernel;
  SampleOptions options;  // temperature <= 0: the kernel's median absolute entry
  Index pictured = 4;     // tasks in the picture
  Index memory_limit = 0;
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
  // Mean adjusted Rand index between tasks: near 1, every task is the same one. None for one task.
  std::optional<double> alike;
  TaskPicture picture;
  std::vector<FileDigest> inputs;
};

SampledTasks sample_prior(ThreadPool& pool, const SampleTasksRequest& request,
                          const ProgressCallback& progress);

struct ProbeTasksRequest {
  std::vector<std::filesystem::path> inputs;  // models
  std::filesystem::path tasks;                // integers (tasks, n), 0 ... classes - 1
  ProbeTasksOptions options;
  std::vector<PriorParts> priors;  // at most one: to compare with the closed form
  std::vector<double> temperatures;
  KernelOptions kernel;
  Graph graph = Graph::directed;
  Index memory_limit = 0;
};

struct ProbedModel {
  std::string name;
  Index dim = 0;
  double penalty = 0.0;  // ridge
  Vector accuracy;       // per task
  std::optional<PriorScore> closed_form;

  double mean() const { return accuracy.mean(); }
  double variance() const;  // over tasks
  double worst() const;     // mean of the worst twentieth of the tasks, at least one
};

// A correlation over models with a 95 % interval (Fisher's z); none below four models.
struct ModelCorrelation {
  std::optional<double> pearson, low, high, spearman;
};

struct ProbeTasksResult {
  std::vector<ProbedModel> models;
  Index tasks = 0, count = 0, classes = 0;
  double chance = 0.0;
  ModelCorrelation mean;      // of mean accuracy with the closed-form expectation
  ModelCorrelation variance;  // of the accuracies' variance with the closed-form variance
  std::vector<FailedModel> failed;
  std::vector<FileDigest> inputs;
};

// Held-out probe accuracy of every model on every sampled task, and how it goes with the closed
// forms (the paper's Figures 3 and 4).
ProbeTasksResult probe_hub_tasks(ThreadPool& pool, const ProbeTasksRequest& request,
                                 const ProgressCallback& progress);

}  // namespace assay
