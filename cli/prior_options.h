#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/prior.h"
#include "common.h"

namespace assay::cli {

// What the commands under `prior` share: options of kernels, priors and temperatures.
struct KernelArgs {
  std::string kernel = "cosine";
  std::string center = "auto";
  std::string normalize = "none";
  std::string graph = "directed";
};

void add_kernel_options(CLI::App& cmd, KernelArgs& args);
void add_graph_option(CLI::App& cmd, KernelArgs& args);

KernelOptions kernel_options(const KernelArgs& args, std::uint64_t seed);
Graph graph_of(const KernelArgs& args);

// Of the models, apart from the priors' kernel, and the penalty of ridge probes.
struct ModelKernelArgs {
  std::string kernel;  // empty: as the priors'
  std::string penalty = "mean";
  std::string probe_r2 = "200";
};

void add_model_kernel_options(CLI::App& cmd, ModelKernelArgs& args);
void add_probe_r2_option(CLI::App& cmd, ModelKernelArgs& args);
// Nothing: that of the priors.
std::optional<KernelOptions> model_kernel_options(const ModelKernelArgs& args,
                                                  const KernelArgs& prior, std::uint64_t seed);
RidgePenalty penalty_of(const ModelKernelArgs& args);
void apply_probe_r2(const ModelKernelArgs& args, PriorScoreRequest& request);

// Numbers, comma-separated; none for auto. Throws Error for what is not positive.
std::vector<double> parse_temperatures(const std::string& text);

// A single number; 0 for auto.
double parse_temperature(const std::string& text);

// Each use of --prior is a prior of its own; what it names, by blanks or commas, multiplies.
std::vector<PriorParts> prior_parts(const std::vector<std::vector<std::string>>& uses);

// The models, and the files that the parts of priors name: what no output may overwrite.
std::vector<std::filesystem::path> files_of(std::vector<std::filesystem::path> models,
                                            const std::vector<PriorParts>& priors);

void add_prior_score(CLI::App& prior, const GlobalOptions& global, Run& run);
void add_prior_sample(CLI::App& prior, const GlobalOptions& global, Run& run);
void add_prior_probe(CLI::App& prior, const GlobalOptions& global, Run& run);

}  // namespace assay::cli
