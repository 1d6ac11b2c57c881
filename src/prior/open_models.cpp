#include "prior/open_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "assay/error.h"
#include "hub/open_rows.h"
#include "prior/open_prior.h"

namespace assay {
namespace {

struct Candidate {
  Model files;
  bool is_kernel = false;
};

std::vector<Candidate> candidates(const PriorScoreRequest& request) {
  std::vector<Candidate> out;
  std::vector<std::filesystem::path> features;
  for (const std::filesystem::path& input : request.inputs) {
    const std::string file = kernel_file(input.string());
    if (file.empty()) {
      features.push_back(input);
      continue;
    }
    for (Model& files : find_models({file}, request.labels).models)
      out.push_back({std::move(files), true});
  }
  if (!features.empty() || !request.hub.models.empty()) {
    const ModelList listed = request.hub.models.empty() ? find_models(features, request.labels)
                                                        : models_by_name(request.hub);
    for (const Model& files : listed.models) out.push_back({files, false});
  }
  std::ranges::stable_sort(out, {}, [](const Candidate& c) { return c.files.name; });
  const auto twice =
      std::ranges::adjacent_find(out, {}, [](const Candidate& c) { return c.files.name; });
  if (twice != out.end())
    fail_input(fmt::format("two models are called {}; rename one", twice->files.name));
  return out;
}

}  // namespace

std::vector<PriorModel> open_prior_models(const PriorScoreRequest& request,
                                          std::vector<FailedModel>& failed) {
  std::vector<PriorModel> models;
  for (const Candidate& candidate : candidates(request)) {
    try {
      PriorModel model{candidate.files.name, open_rows(candidate.files), candidate.is_kernel};
      if (!models.empty())
        require_same_rows(model.rows->rows(), models.front().rows->rows(), model.rows->where(),
                          models.front().rows->where());
      models.push_back(std::move(model));
    } catch (const Error& error) {
      failed.push_back({candidate.files.name, error.what()});
    }
  }
  if (models.empty()) fail_input(fmt::format("nothing could be read: {}", failed.front().error));
  if (models.front().rows->rows() < 2)
    fail_input(fmt::format("{}: one row has no pairs; a task prior needs two or more",
                           models.front().rows->where()));
  return models;
}

}  // namespace assay
