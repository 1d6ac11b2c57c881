#pragma once

#include <string>

#include "assay/rank.h"
#include "parts/archive.h"

namespace assay {

// What a scored model is made of, for parts of a ranking (parts/archive.h): everything that the
// stages after scoring read. Costs and the front of speed are found by those.

template <class Archive>
void fields(Archive& archive, FixedPointCurve& value) {
  auto& [column, kind, t, f] = value;
  archive(column, kind, t, f);
}

template <class Archive>
void fields(Archive& archive, FixedPointCurves& value) {
  auto& [t, columns] = value;
  archive(t, columns);
}

template <class Archive>
void fields(Archive& archive, Score& score) {
  auto& [value, flags, details, columns, baselines, error, per_sample, held_out, extra_variance,
         test_variance, per_class, variants, variant_parts] = score;
  archive(value, flags, details, columns, baselines, error, per_sample, held_out, extra_variance,
          test_variance, per_class, variants, variant_parts);
}

template <class Archive>
void fields(Archive& archive, HeldOutLikelihood& likelihood) {
  auto& [value, contributions, draws] = likelihood;
  archive(value, contributions, draws);
}

template <class Archive>
void fields(Archive& archive, MetricScore& scored) {
  auto& [metric, score, contributions, pair_contributions, triple_contributions, replicates,
         pair_replicates, seconds, fold_variants, draws, draw_variants, held_out, fixed_points] =
      scored;
  std::string name = metric == nullptr ? std::string() : std::string(metric->name);
  archive(name, score, contributions, pair_contributions, triple_contributions, replicates,
          pair_replicates, seconds, fold_variants, draws, draw_variants, held_out, fixed_points);
  if constexpr (Archive::kReading) metric = &find_metric(name);
}

template <class Archive>
void fields(Archive& archive, ScoredModel& model) {
  auto& [name, samples, dim, scores, digests, cost, pareto] = model;
  static_cast<void>(cost);
  static_cast<void>(pareto);
  archive(name, samples, dim, scores, digests);
}

}  // namespace assay
