#include "prior/stream_models.h"

#include <algorithm>

#include "core/memory.h"
#include "prior/streamed_scores.h"

namespace assay {

bool can_stream(const PriorScoreRequest& request, const KernelOptions& model_kernel,
                const std::vector<OpenPrior>& priors, const std::vector<PriorModel>& models) {
  const auto plain = [](const KernelOptions& kernel) {
    return kernel.normalize == Normalisation::none && kernel.center;
  };
  const bool cosine = request.kernel.kind == KernelKind::cosine && plain(request.kernel);
  const bool ridge = model_kernel.kind == KernelKind::ridge && model_kernel.unit_length &&
                     model_kernel.normalize == Normalisation::none;
  const bool model = ridge || (model_kernel.kind == KernelKind::cosine && plain(model_kernel));
  const bool features = std::ranges::all_of(priors, [](const OpenPrior& prior) {
    return prior.parts.size() == 1 && prior.parts.front().rows && !prior.parts.front().is_kernel;
  });
  return cosine && model && features && request.penalty.rule != RidgePenalty::Rule::loo &&
         std::ranges::none_of(models, &PriorModel::is_kernel);
}

std::vector<PriorScore> stream_model(ThreadPool& pool, const PriorScoreRequest& request,
                                     const KernelOptions& model_kernel, const PriorModel& model,
                                     const OpenPrior& prior, const LabelFree& free,
                                     const ProgressCallback& progress) {
  const RowSource& rows = *prior.parts.front().rows;
  require_memory(model.rows->where(), "reading it block by block",
                 streamed_bytes(*model.rows, rows, request.pairs), request.memory_limit);
  const StreamRequest one{.model = model.rows.get(),
                          .prior = &rows,
                          .ridge = model_kernel.kind == KernelKind::ridge,
                          .penalty = request.penalty,
                          .temperatures = request.temperatures,
                          .graph = request.graph,
                          .pairs = request.pairs,
                          .seed = request.seed};
  const StreamedScores found = streamed_scores(pool, one, progress);
  std::vector<PriorScore> out;
  for (std::size_t t = 0; t < found.temperatures.size(); ++t) {
    out.push_back({prior.name, model.name, found.temperatures[t], found.moments[t],
                   model.rows->rows(), model.rows->cols(),
                   request.probe_r2 ? std::optional(found.probe_r2) : std::nullopt,
                   prior.holds(model.name), free});
  }
  return out;
}

}  // namespace assay
