#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "assay/truth.h"

namespace assay {

TruthResult best_truth(TruthResult probed, TruthResult finetuned) {
  if (probed.unit != finetuned.unit)
    fail_input("`protocol` best: probes measure " + probed.unit + ", fine-tuning " +
               finetuned.unit + "; name one of the two");
  for (MeasuredModel& model : probed.models) model.protocol = "probe";
  for (MeasuredModel& model : finetuned.models) {
    model.protocol = "finetune";
    const auto same = std::ranges::find(probed.models, model.name, &MeasuredModel::name);
    if (same == probed.models.end()) {
      probed.models.push_back(std::move(model));
    } else if (model.mean() > same->mean()) {
      *same = std::move(model);
    }
  }
  const auto measured = [&](const FailedModel& failed) {
    return std::ranges::find(probed.models, failed.name, &MeasuredModel::name) !=
           probed.models.end();
  };
  for (FailedModel& failed : finetuned.failed) {
    if (std::ranges::find(probed.failed, failed.name, &FailedModel::name) == probed.failed.end())
      probed.failed.push_back(std::move(failed));
  }
  // What failed one way and was measured the other is still a failure to be told of.
  for (FailedModel& failed : probed.failed) {
    if (measured(failed)) failed.error += " (the other protocol measured it)";
  }
  std::ranges::sort(probed.models, {}, &MeasuredModel::name);
  probed.inputs.insert(probed.inputs.end(), finetuned.inputs.begin(), finetuned.inputs.end());
  return probed;
}

}  // namespace assay
