#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "common.h"
#include "hub/catalogue.h"

namespace assay::cli {

// Which models one may use: --require and --exclude-seen.
struct RequirementArgs {
  std::string require;
  std::vector<std::string> exclude_seen;

  bool any() const { return !require.empty() || !exclude_seen.empty(); }
};

void add_requirement_options(CLI::App* cmd, RequirementArgs& args);

// A model that is passed over, and why.
struct PassedOver {
  std::string name;
  std::string reason;
};
std::vector<PassedOver> passed_over(const Catalogue& catalogue,
                                    const std::vector<Requirement>& requirements,
                                    const std::vector<std::string>& exclude_seen);

// Leaves of the inputs what meets the requirements, with a line on stderr for each of the others:
// networks as their files, and for files of features the models. Where nothing was required the
// inputs stay as they are and there are no models.
struct AllowedInputs {
  std::vector<std::filesystem::path> inputs;
  std::vector<Model> models;
};
AllowedInputs allowed_inputs(const GlobalOptions& global, const RequirementArgs& args,
                             std::vector<std::filesystem::path> inputs,
                             const std::filesystem::path& labels, bool networks);

}  // namespace assay::cli
