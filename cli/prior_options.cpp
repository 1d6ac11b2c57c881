#include "prior_options.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "assay/error.h"
#include "core/text.h"
#include "prior/kernel.h"

namespace assay::cli {
namespace {

// The whole text as a number that is not negative, or nothing.
std::optional<double> whole_number(const std::string& text) {
  double value = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !(value >= 0.0) ||
      !(value <= 1e100))
    return {};
  return value;
}

KernelKind kind_of(const std::string& kernel) {
  if (kernel == "linear") return KernelKind::linear;
  if (kernel == "rbf") return KernelKind::rbf;
  if (kernel == "projection") return KernelKind::projection;
  return kernel == "ridge" ? KernelKind::ridge : KernelKind::cosine;
}

}  // namespace

KernelOptions kernel_options(const KernelArgs& args, std::uint64_t seed) {
  KernelOptions out;
  out.kind = kind_of(args.kernel);
  out.center = centers(out.kind, args.center == "auto" ? std::optional<bool>()
                                                       : std::optional(args.center == "yes"));
  if (args.normalize == "frobenius") out.normalize = Normalisation::frobenius;
  if (args.normalize == "trace") out.normalize = Normalisation::trace;
  out.center_matrix = args.center == "yes";
  out.seed = seed;
  return out;
}

Graph graph_of(const KernelArgs& args) {
  return args.graph == "undirected" ? Graph::undirected : Graph::directed;
}

std::optional<KernelOptions> model_kernel_options(const ModelKernelArgs& args,
                                                  const KernelArgs& prior, std::uint64_t seed) {
  if (args.kernel.empty()) return {};
  KernelArgs own = prior;
  own.kernel = args.kernel;
  // `--center` is about kernels that may be centred or not.
  if (args.kernel == "projection" || args.kernel == "ridge") own.center = "auto";
  KernelOptions out = kernel_options(own, seed);
  out.unit_length = prior.kernel != "linear";
  return out;
}

RidgePenalty penalty_of(const ModelKernelArgs& args) {
  if (args.penalty == "mean") return {};
  if (args.penalty == "loo") return {RidgePenalty::Rule::loo};
  const std::optional<double> value = whole_number(args.penalty);
  if (!value || *value == 0.0)
    fail_input(
        fmt::format("--penalty '{}': expected mean, loo or a positive number", args.penalty));
  return {RidgePenalty::Rule::value, *value};
}

void apply_probe_r2(const ModelKernelArgs& args, PriorScoreRequest& request) {
  if (args.probe_r2 == "off") {
    request.probe_r2 = false;
    return;
  }
  const std::optional<double> tasks = whole_number(args.probe_r2);
  if (!tasks || *tasks != static_cast<double>(static_cast<Index>(*tasks)) || *tasks > 1e5)
    fail_input(fmt::format("--probe-r2 '{}': expected a number of tasks up to 100000, or off",
                           args.probe_r2));
  request.r2_tasks = static_cast<Index>(*tasks);
}

std::vector<double> parse_temperatures(const std::string& text) {
  std::vector<double> out;
  if (text == "auto") return out;
  for (const std::string& part : split_list(text)) {
    const std::optional<double> value = whole_number(part);
    if (!value || *value == 0.0) {
      fail_input(fmt::format(
          "--temperature '{}': expected positive numbers, comma-separated, or auto", text));
    }
    out.push_back(*value);
  }
  return out;
}

double parse_temperature(const std::string& text) {
  const std::vector<double> values = parse_temperatures(text);
  if (values.size() > 1) fail_input("--temperature: one number here, or auto");
  return values.empty() ? 0.0 : values.front();
}

std::vector<PriorParts> prior_parts(const std::vector<std::vector<std::string>>& uses) {
  std::vector<PriorParts> out;
  for (const std::vector<std::string>& use : uses) {
    PriorParts parts;
    for (const std::string& text : use)
      for (std::string& part : split_list(text))
        if (!part.empty()) parts.push_back(std::move(part));
    if (!parts.empty()) out.push_back(std::move(parts));
  }
  return out;
}

void add_kernel_options(CLI::App& cmd, KernelArgs& args) {
  cmd.add_option("--kernel", args.kernel, "how alike two samples are")
      ->check(CLI::IsMember({"cosine", "linear", "rbf", "projection"}))
      ->capture_default_str();
  cmd.add_option("--center", args.center,
                 "centre a kernel (auto: cosine only); projection is of centred features")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->capture_default_str();
  cmd.add_option("--normalize", args.normalize, "divide each kernel by its norm or its trace")
      ->check(CLI::IsMember({"none", "frobenius", "trace"}))
      ->capture_default_str();
}

std::vector<std::filesystem::path> files_of(std::vector<std::filesystem::path> models,
                                            const std::vector<PriorParts>& priors) {
  for (const PriorParts& prior : priors) {
    for (std::string part : prior) {
      for (const std::string_view kind : {"labels:", "kernel:"})
        if (part.starts_with(kind)) part.erase(0, kind.size());
      models.emplace_back(part);
    }
  }
  return models;
}

void add_graph_option(CLI::App& cmd, KernelArgs& args) {
  cmd.add_option("--graph", args.graph, "graphs the prior ranges over; the paper's are directed")
      ->check(CLI::IsMember({"directed", "undirected"}))
      ->capture_default_str();
}

void add_probe_r2_option(CLI::App& cmd, ModelKernelArgs& args) {
  cmd.add_option("--probe-r2", args.probe_r2,
                 "tasks sampled for the spread of probe_r2; off: leave probe_r2 out")
      ->capture_default_str()
      ->type_name("TASKS|off");
}

void add_model_kernel_options(CLI::App& cmd, ModelKernelArgs& args) {
  cmd.add_option("--model-kernel", args.kernel,
                 "of the models, if not that of the prior; ridge: what a ridge probe predicts with")
      ->check(CLI::IsMember({"cosine", "linear", "rbf", "projection", "ridge"}));
  cmd.add_option("--penalty", args.penalty,
                 "of the ridge kernel and of probe_r2: mean (eigenvalue), loo (least leave-one-out "
                 "error over the prior's tasks), or a number")
      ->capture_default_str();
}

}  // namespace assay::cli
