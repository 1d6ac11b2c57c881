#include "requirement_options.h"

#include <algorithm>
#include <set>
#include <utility>

#include "assay/error.h"

namespace assay::cli {

void add_requirement_options(CLI::App* cmd, RequirementArgs& args) {
  cmd->add_option("--require", args.require,
                  "only models that meet this, by hub.json: ms<10,params<=5e6,size<100,"
                  "licence=apache-2.0 (ms per image, size in MB); what is not known is not met")
      ->type_name("LIST");
  cmd->add_option("--exclude-seen", args.exclude_seen,
                  "leave out models whose trained_on in hub.json names this data set; may be given "
                  "several times")
      ->allow_extra_args(false)
      ->type_name("DATASET");
}

std::vector<PassedOver> passed_over(const Catalogue& catalogue,
                                    const std::vector<Requirement>& requirements,
                                    const std::vector<std::string>& exclude_seen) {
  std::vector<PassedOver> out;
  for (const CatalogueEntry& model : catalogue.models) {
    std::string reason = unmet(model, requirements);
    for (const std::string& dataset : exclude_seen)
      if (reason.empty() && has_seen(model, dataset))
        reason = fmt::format("trained on {}", dataset);
    if (!reason.empty()) out.push_back({model.name, std::move(reason)});
  }
  return out;
}

AllowedInputs allowed_inputs(const GlobalOptions& global, const RequirementArgs& args,
                             std::vector<std::filesystem::path> inputs,
                             const std::filesystem::path& labels, bool networks) {
  if (!args.any()) return {std::move(inputs), {}};
  const std::vector<Requirement> requirements =
      args.require.empty() ? std::vector<Requirement>() : parse_requirements(args.require);
  const Catalogue catalogue = read_catalogue(labels, inputs);
  std::set<std::string> gone;
  for (const PassedOver& one : passed_over(catalogue, requirements, args.exclude_seen)) {
    warn(global, fmt::format("note: passed over {}: {}", one.name, one.reason));
    gone.insert(one.name);
  }
  const auto silent = std::ranges::count_if(
      catalogue.models, [](const CatalogueEntry& model) { return model.trained_on.empty(); });
  if (!args.exclude_seen.empty() && silent > 0)
    warn(global, fmt::format("note: of {} model(s) hub.json does not say what they were trained on "
                             "(trained_on): they stay",
                             silent));
  AllowedInputs out;
  for (const CatalogueEntry& model : catalogue.models) {
    if (gone.contains(model.name)) continue;
    if (networks && model.network) out.inputs.push_back(model.network_file);
    if (!networks && model.features) out.models.push_back(model.files);
  }
  if (out.inputs.empty() && out.models.empty())
    fail_input("--require: no model meets it; `assay hub list` shows what is known of each");
  return out;
}

}  // namespace assay::cli
