#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/progress.h"
#include "assay/prior/probe_tasks.h"
#include "assay/prior/sample_tasks.h"
#include "assay/prior/score_prior.h"

namespace assay {

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
ProbeTasksResult probe_prior(ThreadPool& pool, const ProbeTasksRequest& request,
                             const ProgressCallback& progress);

}  // namespace assay
