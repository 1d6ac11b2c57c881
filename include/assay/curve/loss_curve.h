#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/core/types.h"

namespace assay {

// One probe: trained on `n` rows, which `seed` drew, and judged on the validation rows.
struct ProbeRun {
  Index seed = 0;
  Index n = 0;
  double loss = 0.0;
  std::optional<double> accuracy = std::nullopt;
};

// The loss-data curve of one representation: validation loss against the number of training rows.
struct LossCurve {
  std::string name;
  std::vector<ProbeRun> runs;  // in any order; each (seed, n) once
};

// All seeds at one size.
struct CurvePoint {
  Index n = 0;
  double loss = 0.0;                              // mean over seeds
  std::optional<double> loss_sd = std::nullopt;   // over seeds (n - 1); nothing for one seed
  std::optional<double> accuracy = std::nullopt;  // mean; nothing unless every run has one
  Index seeds = 0;
};

// Ascending in n, seeds averaged.
std::vector<CurvePoint> points_of(std::span<const ProbeRun> runs);

// Standard deviation (n - 1); nothing for fewer than two values.
std::optional<double> spread_of(std::span<const double> values);

}  // namespace assay
