#include "curve/hub_spread.h"

#include "core/random.h"
#include "curve/compare_needs.h"
#include "curve/loss_curve.h"

namespace assay {

HubSpread::HubSpread(const CurveRequest& request, const CurveData& data, LossKind loss,
                     double chance)
    : request_(request), data_(data), loss_(loss), chance_(chance) {
  constexpr Index draws = 1000;
  for (Index seed = 0; seed < request.seeds; ++seed) held_out_.push_back(data.split(seed).held_out);
  const bool own = data.has_own_validation();
  units_ = own ? judge_units(data.validation_rows(), {})
               : judge_units(data.targets().rows(), data.groups());
  multipliers_ = draw_multipliers(draws, units_.count, request.seeds,
                                  mixed_seed(request.seed, kBootstrapSeed, 0));
}

SeedCurves HubSpread::seeds_of(const std::vector<FinishedProbe>& probes, bool errors) const {
  return seed_curves(probes, held_out_, units_, data_.targets().rows(), errors);
}

void HubSpread::add_model(const std::vector<FinishedProbe>& probes) {
  losses_.push_back(seeds_of(probes, loss_ == LossKind::zero_one));
  if (request_.target_accuracy) errors_.push_back(seeds_of(probes, true));
}

void HubSpread::add_sizes(std::size_t model, const std::vector<FinishedProbe>& more) {
  if (more.empty()) return;
  losses_[model] = merged(losses_[model], seeds_of(more, loss_ == LossKind::zero_one));
  if (request_.target_accuracy) errors_[model] = merged(errors_[model], seeds_of(more, true));
}

LabelsNeeded HubSpread::needed(const std::vector<CurvePoint>& points,
                               const std::optional<ResampledCurve>& curve, double target) const {
  LabelsNeeded out = labels_needed(points, curve ? &*curve : nullptr, target);
  if (!data_.has_own_validation())
    out.with_validation = out.rows / (1.0 - request_.validation_share);
  return out;
}

void HubSpread::judge(std::size_t model, const MeasureOptions& options, MeasuredCurve& measured,
                      CurveModel& out) {
  const auto fit_seed = [&](std::size_t which) {
    return mixed_seed(request_.seed, kFitSeed, 2 * model + which);
  };
  resampled_losses_.push_back(resample(losses_[model], multipliers_, chance_, fit_seed(0)));
  if (const std::optional<ResampledCurve>& curve = resampled_losses_.back()) {
    add_ranges(*curve, options, measured);
    out.forecast = forecast_of(*curve);
  }
  if (request_.target_loss) {
    out.for_loss =
        needed(points_of(out.refined.runs), resampled_losses_.back(), *request_.target_loss);
  }
  if (!request_.target_accuracy) return;
  std::vector<ProbeRun> wrong = out.refined.runs;
  for (ProbeRun& run : wrong) run.loss = 1.0 - run.accuracy.value_or(0.0);
  const double guessing = chance_level(LossKind::zero_one, data_.classes());
  resampled_errors_.push_back(resample(errors_[model], multipliers_, guessing, fit_seed(1)));
  out.for_accuracy =
      needed(points_of(wrong), resampled_errors_.back(), 1.0 - *request_.target_accuracy);
}

void HubSpread::compare(CurveResult& result) const {
  if (request_.target_loss) {
    add_comparisons(resampled_losses_, &CurveModel::for_loss, *request_.target_loss, false, result);
  }
  if (request_.target_accuracy) {
    add_comparisons(resampled_errors_, &CurveModel::for_accuracy, 1.0 - *request_.target_accuracy,
                    true, result);
  }
}

}  // namespace assay
