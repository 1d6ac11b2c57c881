#pragma once

#include <optional>
#include <vector>

#include "assay/curve.h"
#include "curve/curve_data.h"
#include "curve/loss_draws.h"
#include "curve/resampled_curve.h"

namespace assay {

// The curves of a hub's models as they might have come out, resampled together: intervals, labels
// needed, forecasts, and which model needs fewer. Keeps of the probes only what that takes.
class HubSpread {
 public:
  // loss: of the curves. chance: what guessing costs in it.
  HubSpread(const CurveRequest& request, const CurveData& data, LossKind loss, double chance);

  // The next model's probes, in the order in which models are measured.
  void add_model(const std::vector<FinishedProbe>& probes);
  void add_sizes(std::size_t model, const std::vector<FinishedProbe>& more);

  // Of a model whose curve was measured: intervals, the forecast, the labels that the targets need.
  void judge(std::size_t model, const MeasureOptions& options, MeasuredCurve& measured,
             CurveModel& out);

  // Once all models are judged.
  void compare(CurveResult& result) const;

 private:
  SeedCurves seeds_of(const std::vector<FinishedProbe>& probes, bool errors) const;
  LabelsNeeded needed(const std::vector<CurvePoint>& points,
                      const std::optional<ResampledCurve>& curve, double target) const;

  const CurveRequest& request_;
  const CurveData& data_;
  LossKind loss_;
  double chance_;
  std::vector<std::vector<Index>> held_out_;  // of the seeds
  JudgeUnits units_;
  Multipliers multipliers_;
  std::vector<SeedCurves> losses_;  // of the models, as are those below
  std::vector<SeedCurves> errors_;  // where there is a target accuracy
  std::vector<std::optional<ResampledCurve>> resampled_losses_;
  std::vector<std::optional<ResampledCurve>> resampled_errors_;
};

}  // namespace assay
