#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/robust.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "robust/bayes.h"
#include "robust/influence.h"
#include "robust/operating_point.h"
#include "robust/synthetic_world.h"

namespace assay {

// Representations of synthetic samples at one scale: D x n, one per column, labels 0 or 1.
struct LabelledRepresentation {
  Matrix samples;
  std::vector<Label> labels;
};

// One scale under every budget.
struct ScaleMeasurement {
  std::vector<ScalePoint> points;
  std::vector<SampleInfluence> influences;
  std::vector<std::string> not_debiased;  // why there is no point.debiased; empty: there is
};

// A classifier for each budget fitted on `train` and measured on `test`. One eigendecomposition
// serves all budgets. The reference is that of the world; null: of the paper's.
ScaleMeasurement measure_scale(ThreadPool& pool, double scale, LabelledRepresentation train,
                               LabelledRepresentation test, std::span<const Budget> budgets,
                               double class_prior, const SyntheticWorld* world = nullptr);

// E(a_t) of Eq. 2: the mean over scales of bound * [accuracy > a_t].
double expected_bound(std::span<const OperatingPoint> points, double threshold);

// The integral of E from the threshold to 1. E is a step function, so it is exact: the mean of
// bound * max(0, accuracy - threshold).
double area_above(std::span<const OperatingPoint> points, double threshold);

// Eq. 3: the area of the representation over that of the raw data at the same scales. Nothing when
// the reference has no area: no scale counts, or none reaches the threshold.
std::optional<double> synbench_value(std::span<const ScalePoint> points, double threshold);

// The same from the accuracies and bounds that the fitted Gaussians promise.
std::optional<double> synbench_expected(std::span<const ScalePoint> points, double threshold);

// The same from what the fitted Gaussians say of the population: free of the bias that finite
// samples give to the others. `debiased` must exist at every scale.
std::optional<double> synbench_calibrated(std::span<const ScalePoint> points, double threshold);

// Points of the scales that count.
std::vector<OperatingPoint> measured_points(std::span<const ScalePoint> points);
std::vector<OperatingPoint> expected_points(std::span<const ScalePoint> points);
std::vector<OperatingPoint> reference_points(std::span<const ScalePoint> points);

}  // namespace assay
